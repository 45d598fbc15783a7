import { stringifyJson } from '../../lib/json.ts'
import { type AuditPage, auditEntry } from '../audit-entry.ts'
import { streamEndpoint } from '../endpoint.ts'
import { Stream } from '../stream.ts'
import { auditFilter } from './audit.ts'

const pageSize = 500
const jsonLines = 'application/jsonl'

export const exportAudit = streamEndpoint('GET /audit/export', {
  at: 'farm',
  scope: 'admin',
  tag: 'Audit',
  operationId: 'exportAudit',
  summary: 'The whole audit, one row as JSON in each line, newest first',
  parameters: auditFilter,
  stream: { type: jsonLines, description: 'Rows of the audit', schema: auditEntry },
  problems: ['game_unavailable'],
  /** Reads page after page while it is sent. */
  async handle({ query, now }, { records }) {
    const utf8 = new TextEncoder()
    const first = await records.audit({ ...query, limit: pageSize })
    let read = async (): Promise<AuditPage> => first
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const { entries, next } = await read()
          controller.enqueue(utf8.encode(entries.map((entry) => `${stringifyJson(entry)}\n`).join('')))
          if (next === undefined) controller.close()
          else read = () => records.audit({ ...query, limit: pageSize, before: Number(next) })
        },
      },
      { highWaterMark: 0 },
    )
    const headers = { 'Content-Disposition': `attachment; filename="audit-${now.slice(0, 10)}.jsonl"` }
    return new Stream(body, jsonLines, { headers })
  },
})
