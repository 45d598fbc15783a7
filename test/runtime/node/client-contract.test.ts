import { clientContract } from '../../contract/client.ts'
import { nodeServer } from './node-server.ts'

clientContract('on Node', { start: nodeServer, origin: 'local' })
