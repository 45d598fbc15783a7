import { auditPage } from '../audit-entry.ts'
import { endpoint } from '../endpoint.ts'
import { integer, optional, type Parameter, text } from '../parameter.ts'

/** The id of a row, as `id` and `next` have it. */
const rowId = {
  read: (value: string): string | undefined =>
    /^[0-9]{1,16}$/.test(value) && Number.isSafeInteger(Number(value)) ? value : undefined,
  expected: 'the id of a row',
  description: 'Only rows older than the one with this id: `next` of the page before',
  required: false,
  schema: { type: 'string', pattern: '^[0-9]{1,16}$' },
} as const satisfies Parameter<string>

/** Also of `GET /audit/export`. */
export const auditFilter = {
  action: optional(text({ description: 'Only writes of this operation', example: 'setTime' })),
  key: optional(text({ description: 'Only writes with the key of this id', example: 'api_key' })),
}

export const audit = endpoint({
  method: 'GET',
  path: '/audit',
  access: 'key',
  scope: 'admin',
  tag: 'Audit',
  operationId: 'getAudit',
  summary: 'Every write, with who made it and how it ended; newest first',
  parameters: {
    before: rowId,
    limit: optional(integer(1, 500, { description: 'Rows of a page; 100 unless given', example: '100' })),
    ...auditFilter,
  },
  result: auditPage,
  example: {
    entries: [
      {
        id: '1795258800000000',
        at: '2026-11-21T12:00:00.000Z',
        requestId: '6a0c5f0e-8f0b-4c39-9f0e-2c1c2b7f7c11',
        key: { id: 'api_key', name: 'API_KEY' },
        address: '192.0.2.7',
        action: 'setTime',
        parameters: { value: '1200' },
        door: 'here',
        outcome: 'done',
        status: 200,
      },
    ],
    next: '1795258800000000',
  },
  problems: [],
  handle: ({ query: { before, limit = 100, ...filter } }, _game, records) =>
    records.audit({ ...filter, limit, ...(before !== undefined && { before: Number(before) }) }),
})
