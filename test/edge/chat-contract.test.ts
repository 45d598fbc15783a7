import { chatContract } from '../contract/chat.ts'
import { farmAtEdge } from './edge-server.ts'
import { ownEdgeExemptions } from './exemptions.ts'

chatContract('at an own edge', { start: farmAtEdge, origin: 'edge', exempt: ownEdgeExemptions })
