import { docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'
import { passwordProtection as record } from '../game-records.ts'

export const passwordProtection = endpoint('GET /auth', {
  scope: 'read',
  tag: 'Players',
  operationId: 'getPasswordProtection',
  summary: docs('Whether players log in with a password, and how many did'),
  result: record,
  example: docs({
    enabled: true,
    authenticatedCount: 1,
    pendingCount: 0,
    timeoutSeconds: 120,
    maxAttempts: 3,
  }),
  problems: ['unsupported'],
  handle: (_request, { game }) => game.passwordProtection(),
})
