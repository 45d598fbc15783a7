import { edgeContract } from '../contract/http.ts'
import { edgeServer } from './edge-server.ts'
import { ownEdgeExemptions } from './exemptions.ts'

edgeContract('at an own edge', { start: edgeServer, origin: 'edge', exempt: ownEdgeExemptions })
