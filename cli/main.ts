/** The entry of `farmgate <command>`. */
import { enableCompileCache } from 'node:module'

enableCompileCache()
const { main } = await import('./start.ts')
await main()
