import { auditPage } from '../audit-entry.ts'
import { endpoint } from '../endpoint.ts'
import { before, optional, pageLimit, pageOf, shortText } from '../parameter.ts'

/** The maximum of what a row has. */
const maxFilter = 256

/** Also of `GET /audit/export`. */
export const auditFilter = {
  action: optional(
    shortText(maxFilter, { description: 'Only writes of this operation', example: 'setTime' }),
  ),
  key: optional(
    shortText(maxFilter, { description: 'Only writes with the key of this id', example: 'api_key' }),
  ),
}

export const audit = endpoint('GET /audit', {
  at: 'farm',
  scope: 'admin',
  tag: 'Audit',
  operationId: 'getAudit',
  summary: 'Every write, with who made it and how it ended; newest first',
  parameters: {
    before,
    limit: pageLimit('Rows'),
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
        origin: 'local',
        outcome: 'done',
        status: 200,
      },
    ],
    next: '1795258800000000',
  },
  handle: ({ query }, { records }) => records.audit(pageOf(query)),
})
