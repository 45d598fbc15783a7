/**
 * The times of a cron expression in a time zone. croner finds the local times; this file decides when each is on the
 * clock, because croner omits repeated expressions in the skipped hour, and runs them twice in the doubled hour.
 */
import { Cron } from 'croner'

/** @returns undefined for a text that is not a cron expression of five fields */
export function readCron(text: string): Cron | undefined {
  if (!/^\S+( \S+){4}$/.test(text)) return undefined
  try {
    // Local times are read and written as if they were UTC.
    return new Cron(text, { mode: '5-part', timezone: 'UTC', paused: true })
  } catch {
    return undefined
  }
}

/** Whether a text names a zone of the IANA list. */
export function isTimeZone(text: string): boolean {
  try {
    return /^[A-Za-z]/.test(text) && formatOf(text) !== undefined
  } catch {
    return false
  }
}

/**
 * The next time after a moment. A local time that does not exist is at the first moment after the gap; one that exists
 * twice is only the first.
 * @param cron as `readCron` takes it @param timeZone as `isTimeZone` takes it
 * @param after milliseconds since 1970
 * @returns milliseconds since 1970; undefined when there is none
 */
export function nextTime(cron: string, timeZone: string, after: number): number | undefined {
  const times = readCron(cron)
  let local = after + offsetAt(timeZone, after)
  for (;;) {
    const next = times?.nextRun(new Date(local))
    if (next === null || next === undefined) return undefined
    local = next.getTime()
    const at = firstMoment(timeZone, local)
    if (at > after) return at
  }
}

const day = 86_400_000
const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone)
  if (format === undefined) {
    const numeric = 'numeric'
    const parts = {
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
      second: numeric,
    } as const
    format = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...parts })
    // Names match in any case, so that there is no end to them.
    if (formats.size >= 100) formats.clear()
    formats.set(timeZone, format)
  }
  return format
}

/** Milliseconds that local time is ahead of UTC. */
function offsetAt(timeZone: string, at: number): number {
  const seconds = Math.floor(at / 1000) * 1000
  const parts = formatOf(timeZone).formatToParts(seconds)
  const [month = 0, dayOfMonth, year = 0, hour, minute, second] = parts
    .filter(({ type }) => type !== 'literal')
    .map(({ value }) => Number(value))
  return Date.UTC(year, month - 1, dayOfMonth, hour, minute, second) - seconds
}

/** The first moment at which a zone's clocks show a local time or a later one. @param local as if it were UTC */
function firstMoment(timeZone: string, local: number): number {
  const before = offsetAt(timeZone, local - day)
  const after = offsetAt(timeZone, local + day)
  const exact = [local - before, local - after].filter((at) => at + offsetAt(timeZone, at) === local)
  if (exact.length > 0) return Math.min(...exact)
  // In a gap: the clocks change between these two.
  let [from, to] = [local - after, local - before]
  while (to - from > 1000) {
    const middle = Math.floor((from + to) / 2000) * 1000
    if (offsetAt(timeZone, middle) === before) from = middle
    else to = middle
  }
  return to
}
