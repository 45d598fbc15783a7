import { httpContract } from '../contract/http.ts'
import { ownEdgeServer } from './edge-server.ts'
import { ownEdgeExemptions } from './exemptions.ts'

httpContract('at an own edge', { start: ownEdgeServer, origin: 'edge', exempt: ownEdgeExemptions })
