/** The waits between failed attempts, in milliseconds. */
export interface BackOff {
  /** The upper bound of the first wait; each failure in a row doubles it. */
  readonly first: number
  /** The longest wait. */
  readonly max: number
}

/**
 * How long to wait before the next attempt: a random time between half and all of an upper bound that doubles with
 * each failure, so that many clients that failed at the same moment do not all try again at the same moment.
 * @param failures in a row, 1 or more
 * @param random a number from 0 up to 1
 * @returns milliseconds
 */
export function backOff({ first, max }: BackOff, failures: number, random: number): number {
  const upper = Math.min(max, first * 2 ** (failures - 1))
  return (upper * (1 + random)) / 2
}
