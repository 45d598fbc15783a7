import { type Clock, sleep } from '../../lib/clock.ts'

/**
 * Asks again and again until it is so.
 * @param within milliseconds @param every milliseconds between the end of a question and the next
 * @returns false when it was not so in time @throws what `is` throws, and the reason of the signal
 */
export async function becomesTrue(
  clock: Clock,
  is: () => Promise<boolean>,
  within: number,
  every: number,
  signal?: AbortSignal,
): Promise<boolean> {
  const until = clock.monotonic() + within
  while (!(await is())) {
    if (clock.monotonic() >= until) return false
    await sleep(clock, every, signal)
  }
  return true
}
