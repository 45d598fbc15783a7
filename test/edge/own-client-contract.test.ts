import { clientContract } from '../contract/client.ts'
import { ownEdgeServer } from './edge-server.ts'

clientContract('at an own edge', { start: ownEdgeServer, origin: 'edge' })
