/** The marked times below charts and timeline: round ones of this device, the same for all of them. */
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const steps = [5 * minute, 15 * minute, hour, 3 * hour, 6 * hour, day, 2 * day, 7 * day]
/** Marks that fit below a chart on a phone. */
const most = 5

/** @param from milliseconds since 1970 */
export function ticksBetween(from: number, to: number): number[] {
  const step = steps.find((one) => (to - from) / one <= most) ?? 7 * day
  // Counted from midnight, so that hours and days are whole ones here.
  const midnight = new Date(from).setHours(0, 0, 0, 0)
  const all: number[] = []
  for (let at = midnight; at <= to; at = next(at, step)) if (at >= from) all.push(at)
  return all
}

/** Days are counted by the calendar, because one with a change of the clock has 23 or 25 hours. */
function next(at: number, step: number): number {
  if (step < day) return at + step
  const date = new Date(at)
  return date.setDate(date.getDate() + step / day)
}
