import { edgeContract } from '../contract/http.ts'
import { farmAtEdge } from './edge-server.ts'
import { ownEdgeExemptions } from './exemptions.ts'

edgeContract('at an own edge', { start: farmAtEdge, origin: 'edge', exempt: ownEdgeExemptions })
