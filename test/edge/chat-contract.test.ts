import { chatContract } from '../contract/chat.ts'
import { edgeServer } from './edge-server.ts'
import { edgeExemptions } from './exemptions.ts'

chatContract('at the edge', { start: edgeServer, origin: 'edge', exempt: edgeExemptions })
