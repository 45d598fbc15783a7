/** The entry of `npm run serve`: the control API, configured by the environment. */
import { enableCompileCache } from 'node:module'
import { prepareThread } from '../../services/records/keeper-threads.ts'

// Enabled before all other modules are loaded: with a warm cache the process starts in half the time.
enableCompileCache()
prepareThread()
const { main } = await import('./main.ts')
await main(process.argv.slice(2))
