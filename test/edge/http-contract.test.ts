import { httpContract } from '../contract/http.ts'
import { edgeServer } from './edge-server.ts'
import { edgeExemptions } from './exemptions.ts'

httpContract('at the edge', { start: edgeServer, origin: 'edge', exempt: edgeExemptions })
