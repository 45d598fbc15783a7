import { describe } from 'vitest'
import { accountsContract } from '../../contract/accounts.ts'
import { nodeServer } from './node-server.ts'

describe('on Node', () => accountsContract({ start: nodeServer, origin: 'local' }))
