import { chatContract } from '../../contract/chat.ts'
import { nodeServer } from './node-server.ts'

chatContract('on Node', { start: nodeServer, origin: 'local' })
