import * as v from 'valibot'
import { endpoint } from '../endpoint.ts'
import { keyRecord } from '../key-record.ts'

export const keys = endpoint({
  method: 'GET',
  path: '/keys',
  at: 'farm',
  access: 'key',
  scope: 'admin',
  tag: 'Keys',
  operationId: 'getKeys',
  summary: 'The named keys and sessions that are not revoked, without the keys themselves',
  parameters: {},
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
  problems: [],
  handle: async (_request, { records }) => ({ keys: [...(await records.keys())] }),
})
