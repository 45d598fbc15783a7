import { nodeServer } from '../runtime/node/node-server.ts'
import { commandSuite } from './commands.ts'

commandSuite('on Node', nodeServer)
