import { docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'
import { jsonBody } from '../json-body.ts'
import { keyRequest, newKey } from '../key-record.ts'

export const createKey = endpoint('POST /keys', {
  at: 'farm',
  scope: 'admin',
  tag: 'Keys',
  operationId: 'createKey',
  summary: docs('Makes a named key; this answer is the only one that shows it'),
  body: jsonBody(keyRequest, docs({ name: 'Discord bot', scopes: ['chat'], expiresInDays: 365 })),
  status: 201,
  keeps: true,
  result: newKey,
  example: docs({
    id: '6f1c2a9b03de',
    name: 'Discord bot',
    scopes: ['chat'],
    createdAt: '2026-11-21T12:00:00.000Z',
    expiresAt: '2027-11-21T12:00:00.000Z',
    key: 'fg_6f1c2a9b03de_<secret>',
  }),
  problems: ['too_many_keys'],
  handle: ({ body, holder }, { records }) => records.makeKey(body, holder),
})
