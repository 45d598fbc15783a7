import { clientContract } from '../contract/client.ts'
import { edgeServer } from './edge-server.ts'

clientContract('at the edge', { start: edgeServer, origin: 'edge' })
