import * as v from 'valibot'
import { endpoint } from '../endpoint.ts'
import { keyRecord } from '../key-record.ts'

export const keys = endpoint('GET /keys', {
  at: 'farm',
  scope: 'admin',
  tag: 'Keys',
  operationId: 'getKeys',
  summary: 'The named keys and sessions that are not revoked, without the keys themselves',
  result: v.object({ keys: v.array(keyRecord) }),
  example: {
    keys: [
      {
        id: '6f1c2a9b03de',
        name: 'Discord bot',
        scopes: ['chat'],
        createdAt: '2026-11-21T12:00:00.000Z',
        lastUsedAt: '2026-11-21T18:30:00.000Z',
      },
    ],
  },
  handle: async (_request, { records }) => ({ keys: [...(await records.keys())] }),
})
