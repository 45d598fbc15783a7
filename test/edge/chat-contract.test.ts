import { chatContract } from '../contract/chat.ts'
import { edgeServer } from './edge-server.ts'

chatContract('at the edge', { start: edgeServer, exempt: ['invalid utf-8', 'ping before auth'] })
