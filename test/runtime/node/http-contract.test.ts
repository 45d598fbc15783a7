import { httpContract } from '../../contract/http.ts'
import { nodeServer } from './node-server.ts'

httpContract('on Node', { start: nodeServer, origin: 'local' })
