import { edgeServer } from '../edge/edge-server.ts'
import { commandSuite } from './commands.ts'

commandSuite('at the edge', edgeServer)
