import type { DatabaseSync } from 'node:sqlite'
import * as v from 'valibot'
import { scheduleRecord } from '../../handlers/schedule-record.ts'
import { dataTable } from './data-table.ts'
import type { Skipped } from './readable-rows.ts'

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
  const { all, put, remove } = dataTable(db, 'schedules', storedSchedule, skipped, ['createdAt'])
  return {
    reads: {
      /** Oldest first. */
      storedSchedules: (): readonly StoredSchedule[] =>
        all().toSorted((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1)),
    },
    writes: { keepSchedule: put, deleteSchedule: remove },
  }
}
