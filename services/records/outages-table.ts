/** The outages of the game and of farmgate itself. Times are milliseconds since 1970. */
import type { DatabaseSync } from 'node:sqlite'
import * as v from 'valibot'
import { causeCodes } from '../../handlers/cause.ts'
import { type Outage, outageParts } from '../../handlers/outages.ts'
import { numbersTable } from './numbers-table.ts'
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
  const numbers = numbersTable(db)
  const recordedSince = () => numbers.reads.keptNumber('outagesSince')
  const put = db.prepare('INSERT OR REPLACE INTO outages (began, part, ended, cause) VALUES (?, ?, ?, ?)')
  const notEndedBefore = db.prepare(
    `SELECT * FROM outages WHERE ended IS NULL OR ended > ? ORDER BY began DESC LIMIT ${most}`,
  )
  const old = db.prepare(`DELETE FROM outages WHERE (began, part) IN
    (SELECT began, part FROM outages WHERE began < :before AND ended < :before ORDER BY began LIMIT :limit)`)
  return {
    reads: {
      /** Those that had not ended by then, newest first; `since`: all that ended later are among them. */
      outages(from: number): { readonly outages: readonly Outage[]; readonly since: number | undefined } {
        const rows = notEndedBefore.all(from)
        const outages = readableRows('outages', rows, row, skipped)
        const since = recordedSince()
        const oldest = rows.length < most ? undefined : outages.at(-1)
        return { outages, since: since && Math.max(since, oldest?.from ?? since) }
      },
    },
    later: {
      /** One that has begun, or has ended. */
      outage({ of, from, to, cause }: Outage): void {
        put.run(from, of, to ?? null, cause ?? null)
      },
    },
    prunes: [
      {
        kept: 'history',
        run(before: number, limit: number): void {
          if (old.run({ before, limit }).changes === 0) return
          // A time whose outages are deleted must not count as one without them.
          numbers.later.keepNumber('outagesSince', Math.max(before, recordedSince() ?? before))
        },
      },
    ] satisfies Prune[],
  }
}
