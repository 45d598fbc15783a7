import { describe } from 'vitest'
import { accountsContract } from '../contract/accounts.ts'
import { edgeServer } from './edge-server.ts'

describe('at the edge', () => accountsContract({ start: edgeServer, origin: 'edge' }))
