/** `GET /audit/export`: the whole audit as JSON lines, newest first, read in pages while it is sent. */
import type { AuditPage, AuditQuery } from '../../handlers/audit-entry.ts'
import { stringifyJson } from '../../handlers/json.ts'
import type { Records } from '../../handlers/records.ts'
import type { StreamAnswer } from './answer.ts'

export const jsonLines = 'application/jsonl'

const pageSize = 500

/**
 * @param mayGoOn asked before each page: a key can end while it is sent. The answer then breaks off
 * @throws {GameError} unavailable, when not even the first page can be read
 */
export async function auditExport(
  records: Pick<Records, 'audit'>,
  filter: Pick<AuditQuery, 'action' | 'key'>,
  mayGoOn: () => boolean,
): Promise<StreamAnswer> {
  const utf8 = new TextEncoder()
  const first = await records.audit({ ...filter, limit: pageSize })
  let read = async (): Promise<AuditPage> => first
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        if (!mayGoOn()) throw new Error('the key has ended')
        const { entries, next } = await read()
        const lines = entries.map((entry) => `${stringifyJson(entry)}\n`).join('')
        controller.enqueue(new Uint8Array(utf8.encode(lines)))
        if (next === undefined) controller.close()
        else read = () => records.audit({ ...filter, limit: pageSize, before: Number(next) })
      },
    },
    { highWaterMark: 0 },
  )
  return { status: 200, body, type: jsonLines }
}
