/** Waits between tries that fail. Milliseconds. */
export interface BackOff {
  /** The first wait, at most; each failure in a row doubles it. */
  readonly first: number
  /** No wait is longer. */
  readonly max: number
}

/**
 * How long to wait before the next try: between half and all of a time that doubles with each failure, so that many
 * who failed at once do not all come back at once.
 * @param failures in a row, 1 or more
 * @param random a number from 0 up to 1
 * @returns milliseconds
 */
export function backOff({ first, max }: BackOff, failures: number, random: number): number {
  const longest = Math.min(max, first * 2 ** (failures - 1))
  return (longest * (1 + random)) / 2
}
