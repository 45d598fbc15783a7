/** The entry of `npm start`: a simulated farm on this machine, with a key made for this run. */
import { enableCompileCache } from 'node:module'

enableCompileCache()
const { demo } = await import('./farm.ts')
await demo(process.argv.slice(2))
