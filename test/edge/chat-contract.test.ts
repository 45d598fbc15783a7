import { chatContract } from '../contract/chat.ts'
import { ownEdgeServer } from './edge-server.ts'
import { ownEdgeExemptions } from './exemptions.ts'

chatContract('at an own edge', { start: ownEdgeServer, origin: 'edge', exempt: ownEdgeExemptions })
