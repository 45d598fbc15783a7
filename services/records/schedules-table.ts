import type { DatabaseSync } from 'node:sqlite'
import * as v from 'valibot'
import { scheduleRecord } from '../../handlers/schedule-record.ts'
import { dataTable } from './data-table.ts'
import type { Skipped } from './readable-rows.ts'
import { addWithinLimit } from './within-limit.ts'

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
    writes: {
      /** @returns false when there are too many */
      addSchedule: (one: StoredSchedule): boolean =>
        addWithinLimit(
          'schedules',
          () => all().length,
          () => put(one),
        ),
      keepSchedule: put,
      deleteSchedule: remove,
    },
  }
}
