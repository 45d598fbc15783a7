/** The next step of a schedule at a moment. Pure: it reads no clock. */
import type { StoredSchedule } from '../records/schedules-table.ts'
import { nextTime } from './cron-times.ts'

/** Milliseconds that a run may be late, because farmgate was down or the clock was set forward. */
const maxLate = 15 * 60_000
const day = 86_400_000

type Times = Pick<StoredSchedule, 'cron' | 'timeZone' | 'dueAt' | 'ranUpTo'>

export interface Step {
  /** The time of the run that begins now. */
  readonly run?: number
  /** When the first of the missed runs was due. */
  readonly missed?: number
  /** When it is due next; undefined for never. */
  readonly dueAt: number | undefined
}

/**
 * The next time of a schedule. After the clock was set back, times at which it has run do not come again; those of a
 * clock that was more than a day ahead do, because the schedule would stop until then.
 * @param now milliseconds since 1970
 */
export function nextDue(
  { cron, timeZone, ranUpTo = 0 }: Omit<Times, 'dueAt'>,
  now: number,
): number | undefined {
  return nextTime(cron, timeZone, ranUpTo > now && ranUpTo - now <= day ? ranUpTo : now)
}

/** @param now milliseconds since 1970 */
export function nextStep(schedule: Times, now: number): Step {
  const { cron, timeZone, dueAt: due } = schedule
  const dueAt = nextDue(schedule, now)
  if (due === undefined || due > now) return { dueAt }
  let run: number | undefined
  let time: number | undefined = due < now - maxLate ? nextTime(cron, timeZone, now - maxLate - 1) : due
  while (time !== undefined && time <= now) {
    run = time
    time = nextTime(cron, timeZone, time)
  }
  return { dueAt, ...(run !== undefined && { run }), ...(due < now - maxLate && { missed: due }) }
}
