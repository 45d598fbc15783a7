/** The outages of the game and of farmgate itself. Times are milliseconds since 1970. */
import type { DatabaseSync } from 'node:sqlite'
import * as v from 'valibot'
import { causeCodes } from '../../handlers/cause.ts'
import { type Outage, outageParts } from '../../handlers/outages.ts'
import type { Prune } from './prune.ts'
import { readableRows, type Skipped } from './readable-rows.ts'

const row = v.pipe(
  v.object({
    began: v.number(),
    part: v.picklist(outageParts),
    ended: v.exactOptional(v.number()),
    cause: v.exactOptional(v.picklist(causeCodes)),
  }),
  v.transform(
    ({ began, part, ended, cause }): Outage => ({
      of: part,
      from: began,
      ...(ended !== undefined && { to: ended }),
      ...(cause !== undefined && { cause }),
    }),
  ),
)

/** Maximum of outages in one answer. */
const most = 1000

export function outagesTable(db: DatabaseSync, skipped: Skipped) {
  const put = db.prepare('INSERT OR REPLACE INTO outages (began, part, ended, cause) VALUES (?, ?, ?, ?)')
  const since = db.prepare(
    `SELECT * FROM outages WHERE ended IS NULL OR ended > ? ORDER BY began DESC LIMIT ${most}`,
  )
  const old = db.prepare(`DELETE FROM outages WHERE (began, part) IN
    (SELECT began, part FROM outages WHERE began < ? ORDER BY began LIMIT ?)`)
  return {
    reads: {
      /** Those that had not ended by then, newest first. */
      outages: (from: number): readonly Outage[] => readableRows('outages', since.all(from), row, skipped),
    },
    later: {
      /** One that has begun, or has ended. */
      outage({ of, from, to, cause }: Outage): void {
        put.run(from, of, to ?? null, cause ?? null)
      },
    },
    prunes: [
      { kept: 'history', run: (before: number, limit: number) => void old.run(before, limit) },
    ] satisfies Prune[],
  }
}
