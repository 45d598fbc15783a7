import type { DatabaseSync } from 'node:sqlite'
import * as v from 'valibot'
import {
  type AuditEntry,
  type AuditPage,
  type AuditQuery,
  auditEntry,
  type BegunWrite,
  type FleetChange,
  fleetKeyHolder,
  type WriteEnd,
} from '../../handlers/audit-entry.ts'
import { isoTime } from '../../handlers/iso-time.ts'
import { account } from '../../handlers/key-record.ts'
import { stringifyJson } from '../../lib/json.ts'
import type { Prune } from './prune.ts'
import { jsonColumn, pageOf, readableRows, type Skipped } from './readable-rows.ts'

export type Origin = AuditEntry['origin']

/** A begun write as it is stored: with its id, the time in milliseconds since 1970, and its origin. */
export interface StoredWrite extends BegunWrite {
  readonly id: number
  readonly at: number
  readonly origin: Origin
  /** Where it has already ended. */
  readonly end?: WriteEnd
}

/** How a stored write ended. */
export interface EndedWrite extends Pick<StoredWrite, 'id' | 'origin'> {
  readonly end: WriteEnd
}

const row = v.object({
  id: v.number(),
  at: v.number(),
  requestId: v.string(),
  origin: auditEntry.entries.origin,
  keyId: v.exactOptional(v.string()),
  keyName: v.exactOptional(v.string(), ''),
  address: v.string(),
  action: v.string(),
  parameters: jsonColumn(v.record(v.string(), v.unknown())),
  outcome: auditEntry.entries.outcome,
  status: v.exactOptional(v.number()),
  isCommand: v.exactOptional(v.literal(1)),
  account: v.exactOptional(jsonColumn(account)),
})

export function auditTable(db: DatabaseSync, skipped: Skipped) {
  const insert = db.prepare(`INSERT INTO audit
    (id, at, requestId, origin, keyId, keyName, address, action, parameters, isCommand, account, outcome, status)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  // Only a pending write, and only of the same origin: the edge cannot change other rows.
  const complete = db.prepare(
    'UPDATE audit SET outcome = ?, status = ? WHERE id = ? AND origin = ? AND status IS NULL',
  )
  // Sent again when the link was lost before the answer. The index on actions finds the few rows to compare.
  const insertOnce = db.prepare(`INSERT INTO audit
    (id, at, requestId, origin, keyId, keyName, address, action, parameters, outcome, status)
    SELECT ?1, ?2, ?3, 'edge', ?4, ?5, ?6, ?7, ?8, 'done', ?9
    WHERE NOT EXISTS (SELECT 1 FROM audit WHERE action = ?7 AND requestId = ?3 AND at = ?2)`)
  const page = (where: string) =>
    db.prepare(`SELECT * FROM audit WHERE id < ?1 ${where} ORDER BY id DESC LIMIT ?2`)
  const pages = {
    all: page(''),
    action: page('AND action = ?3'),
    key: page('AND keyId = ?3'),
    both: page('AND action = ?3 AND keyId = ?4'),
  }
  const rowsOf = ({ before = Number.MAX_SAFE_INTEGER, limit, action, key }: AuditQuery) => {
    if (action !== undefined && key !== undefined) return pages.both.all(before, limit + 1, action, key)
    if (action !== undefined) return pages.action.all(before, limit + 1, action)
    return key === undefined ? pages.all.all(before, limit + 1) : pages.key.all(before, limit + 1, key)
  }

  const newest = db.prepare('SELECT max(id) AS id FROM audit')
  // By the id, which is the time in microseconds, because an index on the time would slow each write.
  const forget = db.prepare(
    'DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE id < ? ORDER BY id LIMIT ?)',
  )
  // After the clock was set back, ids continue from the greatest and are hours or years later than the time.
  const forgetSetBack = db.prepare(
    `DELETE FROM audit WHERE id IN
      (SELECT id FROM audit WHERE id - at * 1000 > 3600000000 AND at < ? ORDER BY at LIMIT ?)`,
  )

  return {
    prunes: [
      { kept: 'audit', run: (before, limit) => void forget.run(before * 1000, limit) },
      { kept: 'audit', run: (before, limit) => void forgetSetBack.run(before, limit) },
    ] satisfies Prune[],
    reads: {
      /** The greatest id; 0 for none. */
      newestWrite: (): number => Number(newest.get()?.['id'] ?? 0),
      audit(query: AuditQuery): AuditPage {
        const { rows, next } = pageOf(rowsOf(query), query.limit, 'id')
        return { entries: readableRows('audit', rows, row, skipped).map(entryOf), ...next }
      },
    },
    writes: {
      beganWrite({
        id,
        at,
        requestId,
        origin,
        key,
        address,
        action,
        parameters,
        isCommand,
        account: who,
        end,
      }: StoredWrite): void {
        const person = who === undefined ? null : stringifyJson(who)
        const sent = [action, stringifyJson(parameters), isCommand ? 1 : null, person]
        const how = [end?.outcome ?? 'unknown', end?.status ?? null]
        insert.run(id, at, requestId, origin, key?.id ?? null, key?.name ?? null, address, ...sent, ...how)
      },
      fleetChanged(id: number, { at, requestId, address, action, parameters, status }: FleetChange): void {
        const { id: keyId, name } = fleetKeyHolder
        insertOnce.run(id, at, requestId, keyId, name, address, action, stringifyJson(parameters), status)
      },
      endedWrite({ id, origin, end: { outcome, status } }: EndedWrite): void {
        complete.run(outcome, status, id, origin)
      },
    },
  }
}

const entryOf = (found: v.InferOutput<typeof row>): AuditEntry => ({
  id: String(found.id),
  at: isoTime(found.at),
  requestId: found.requestId,
  origin: found.isCommand === 1 ? 'cli' : found.origin,
  ...(found.keyId !== undefined && { key: { id: found.keyId, name: found.keyName } }),
  ...(found.account !== undefined && { account: found.account }),
  address: found.address,
  action: found.action,
  parameters: found.parameters,
  outcome: found.outcome,
  ...(found.status !== undefined && { status: found.status }),
})
