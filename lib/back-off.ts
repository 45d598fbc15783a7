/** The waits between failed attempts, in milliseconds. */
export interface BackOff {
  /** The upper bound of the first wait; each further failure in a row doubles it. */
  readonly first: number
  /** The longest wait. */
  readonly max: number
}

/**
 * The wait before the next attempt: a random time between half and all of an upper bound that doubles with each
 * failure, so that clients that failed at the same moment do not all try again at the same moment.
 * @param failures in a row, 1 or more
 * @param random a number from 0 up to 1
 * @returns milliseconds
 */
export function backOff({ first, max }: BackOff, failures: number, random: number): number {
  const upper = Math.min(max, first * 2 ** (failures - 1))
  return (upper * (1 + random)) / 2
}

/**
 * The waits before a restart. A run of at least `stableAfter` milliseconds had no lasting fault, so the waits begin
 * with the first again.
 * @returns computes the next wait in milliseconds. @param ranFor milliseconds of the run @param random 0 to 1
 */
export function restartDelays({
  stableAfter,
  ...delays
}: BackOff & { readonly stableAfter: number }): (ranFor: number, random: number) => number {
  let failures = 0
  return (ranFor, random) => {
    failures = ranFor >= stableAfter ? 1 : failures + 1
    return backOff(delays, failures, random)
  }
}
