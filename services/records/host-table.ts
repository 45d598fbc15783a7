import type { DatabaseSync } from 'node:sqlite'
import * as v from 'valibot'
import { hostOperation } from '../../handlers/host-record.ts'
import { startPlan } from '../../handlers/start-plan.ts'
import { stringifyJson } from '../../lib/json.ts'
import type { Prune } from './prune.ts'
import { jsonColumn, type Row, readableRows, type Skipped } from './readable-rows.ts'

/** An operation on the game's process. Times are milliseconds since 1970. */
const storedOperation = v.object({
  at: v.number(),
  endedAt: v.exactOptional(v.number()),
  /** Of the process to stop (`GameProcess.run`). */
  run: v.exactOptional(v.string()),
  operation: jsonColumn(hostOperation),
  plan: v.exactOptional(jsonColumn(startPlan)),
})
export type StoredOperation = Readonly<v.InferOutput<typeof storedOperation>>

/** The shown operations. They are kept at any age. */
const shown = 50

export function hostTable(db: DatabaseSync, skipped: Skipped) {
  const put = db.prepare(
    'INSERT OR REPLACE INTO hostOperations (id, at, endedAt, run, operation, plan) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const newest = db.prepare('SELECT * FROM hostOperations ORDER BY at DESC, id LIMIT ?')
  const open = db.prepare('SELECT * FROM hostOperations WHERE endedAt IS NULL ORDER BY at')
  const restarts = db.prepare(`SELECT count(*) AS restarts FROM hostOperations
    WHERE endedAt >= ? AND (operation ->> 'action' = 'restart' OR operation ->> '$.by.id' = 'watchdog') AND operation ->> 'state' = 'succeeded'`)
  const forget = db.prepare(`DELETE FROM hostOperations WHERE id IN (
    SELECT id FROM hostOperations WHERE endedAt < ?1
      AND at < (SELECT at FROM hostOperations ORDER BY at DESC LIMIT 1 OFFSET ${shown - 1}) LIMIT ?2)`)
  const read = (rows: readonly Row[]): readonly StoredOperation[] =>
    readableRows('hostOperations', rows, storedOperation, skipped)
  return {
    prunes: [{ kept: 'audit', run: (before, limit) => void forget.run(before, limit) }] satisfies Prune[],
    reads: {
      /** The last 50, newest first. */
      hostOperations: () => read(newest.all(shown)),
      /** Those that have not ended: none, or the one during which farmgate ended. */
      openHostOperations: () => read(open.all()),
      /** @param since milliseconds since 1970 */
      hostRestarts: (since: number): number => Number(restarts.get(since)?.['restarts'] ?? 0),
    },
    writes: {
      putHostOperation({ at, endedAt, run, operation, plan }: StoredOperation): void {
        // The plan of an operation that has ended is no longer needed.
        const journal = plan === undefined || endedAt !== undefined ? null : stringifyJson(plan)
        put.run(operation.id, at, endedAt ?? null, run ?? null, stringifyJson(operation), journal)
      },
    },
  }
}
