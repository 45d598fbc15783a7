/** The entry of `npm run serve`: the control API, configured by the environment. */
import { enableCompileCache } from 'node:module'

// Enabled before all other modules are loaded: with a warm cache the process starts in half the time.
enableCompileCache()
const { main } = await import('./main.ts')
await main(process.argv.slice(2))
