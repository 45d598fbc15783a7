import * as v from 'valibot'
import { docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'
import { hostOperation } from '../host-record.ts'

export const hostOperations = endpoint('GET /host/operations', {
  at: 'farm',
  scope: 'read',
  tag: 'Host',
  operationId: 'getHostOperations',
  summary: docs("The last 50 operations on the game's process, newest first"),
  result: v.object({ operations: v.array(hostOperation) }),
  example: docs({
    operations: [
      {
        id: '6f1c2a9b03de',
        action: 'restart',
        when: 'now',
        state: 'failed',
        requestedAt: '2026-11-21T12:00:00.000Z',
        endedAt: '2026-11-21T12:10:03.000Z',
        by: { id: 'api_key', name: 'API_KEY' },
        reason: 'New mods',
        error: 'The game did not answer within ten minutes of its start',
        lines: [{ at: '2026-11-21T12:00:04.000Z', text: 'A mod cannot be loaded' }],
        steps: [
          { state: 'stopping', at: '2026-11-21T12:00:00.000Z' },
          { state: 'failed', at: '2026-11-21T12:10:03.000Z' },
        ],
      },
    ],
  }),
  problems: ['unsupported'],
  async handle(_request, { host }) {
    return { operations: [...(await host.operations())] }
  },
})
