import { restartDelays } from '../../lib/back-off.ts'
import { type Clock, sleep } from '../../lib/clock.ts'

/** Milliseconds. A log ends with each stop of the game, so the waits stay short. */
const waits = { first: 250, max: 2000, stableAfter: 5000 }

/**
 * Follows a log again whenever it ends or fails.
 * @param follow follows it until it ends @param signal ends it
 */
export async function keepFollowing(
  clock: Clock,
  signal: AbortSignal,
  follow: () => Promise<void>,
): Promise<void> {
  const wait = restartDelays(waits)
  while (!signal.aborted) {
    const began = clock.monotonic()
    // Calls of the host report why it does not answer.
    await follow().catch(() => undefined)
    await sleep(clock, wait(clock.monotonic() - began, clock.random()), signal).catch(() => undefined)
  }
}
