import { httpContract } from '../contract/http.ts'
import { edgeServer } from './edge-server.ts'

httpContract('at the edge', { start: edgeServer })
