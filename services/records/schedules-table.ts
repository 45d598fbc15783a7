import type { DatabaseSync } from 'node:sqlite'
import * as v from 'valibot'
import { scheduleRecord } from '../../handlers/schedule-record.ts'
import { stringifyJson } from '../../lib/json.ts'
import { readableData, type Skipped } from './readable-rows.ts'

const { nextAt: _calculated, ...shown } = scheduleRecord.entries

/** Times are milliseconds since 1970. */
const storedSchedule = v.object({
  ...shown,
  /** Who acts in its runs. */
  maker: v.object({ id: v.string(), name: v.string(), ref: v.string() }),
  createdAt: v.number(),
  /** When it runs next; missing while it is disabled. */
  dueAt: v.optional(v.number()),
  /** The time of its last run by the clock, not by hand. */
  ranUpTo: v.optional(v.number()),
})
export type StoredSchedule = Readonly<v.InferOutput<typeof storedSchedule>>

export function schedulesTable(db: DatabaseSync, skipped: Skipped) {
  const all = db.prepare('SELECT data FROM schedules WHERE deletedAt IS NULL ORDER BY createdAt, id')
  const keep = db.prepare(
    `INSERT INTO schedules (id, createdAt, data) VALUES (?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET data = excluded.data WHERE deletedAt IS NULL`,
  )
  // The row stays, so that a deletion that was made while records were in memory reaches the disk.
  const remove = db.prepare(
    "UPDATE schedules SET deletedAt = ?, data = '' WHERE id = ? AND deletedAt IS NULL",
  )
  return {
    reads: {
      /** Oldest first. */
      storedSchedules: (): readonly StoredSchedule[] =>
        readableData('schedules', all.all(), storedSchedule, skipped),
    },
    writes: {
      /** Adds a schedule, or replaces it; one that was deleted stays so. */
      keepSchedule(schedule: StoredSchedule): void {
        keep.run(schedule.id, schedule.createdAt, stringifyJson(schedule))
      },
      /** @returns false when there is no such schedule */
      deleteSchedule: (id: string, at: number): boolean => remove.run(at, id).changes > 0,
    },
  }
}
