/** When to try a failed delivery again. */
import type { TryEnd } from './post.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** Milliseconds before each attempt, counted from the end of the previous one; the first is made at once. */
const waits = [
  0,
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]
/** How much longer a wait may be, so that many deliveries do not return at the same moment. */
const jitter = 0.1
/** A delivery whose receiver always asks to wait is given up after this, counted from its first attempt. */
const maxAge = 5 * 24 * hour

/** Statuses from 400 to 499 that concern the receiver or the moment, and not the content. */
const passing: readonly number[] = [401, 404, 407, 408, 421, 423, 424, 425, 429]
/** Attempts of a delivery that its receiver refuses permanently. */
const triesOfRefused = 2

/** Whether a receiver refuses the content, and will refuse it again. @param status of its answer, if it gave one */
export const isRefused = (status: number | undefined): boolean =>
  status !== undefined && status >= 400 && status < 500 && !passing.includes(status)

export interface Again {
  /** Missing when there are no further attempts. */
  readonly nextAt?: number
  /** Whether the failed attempt counts as one of the ten. */
  readonly counts: boolean
}

/**
 * @param failed how often the delivery had failed before, and when it was first tried, if it was
 * @param end of this attempt
 * @param now milliseconds since 1970
 * @param random a number from 0 up to 1
 */
export function tryAgain(
  failed: { readonly tries: number; readonly firstTriedAt?: number },
  { status, wait }: TryEnd,
  now: number,
  random: number,
): Again {
  // A receiver that asks to wait is not broken: it accepts the delivery after that time.
  const counts = !(status === 429 && wait !== undefined)
  if (!counts) {
    const isOld = now - (failed.firstTriedAt ?? now) > maxAge
    return isOld ? { counts } : { counts, nextAt: now + Math.max(second, wait ?? 0) }
  }
  if (isRefused(status) && failed.tries + 1 >= triesOfRefused) return { counts }
  const next = waits[failed.tries + 1]
  if (next === undefined) return { counts }
  return { counts, nextAt: now + Math.max(Math.round(next * (1 + jitter * random)), wait ?? 0) }
}
