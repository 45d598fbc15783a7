import { chatContract } from '../contract/chat.ts'
import { edgeServer } from './edge-server.ts'
import { ownEdgeExemptions } from './exemptions.ts'

chatContract('at an own edge', { start: edgeServer, origin: 'edge', exempt: ownEdgeExemptions })
