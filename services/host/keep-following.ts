import { restartDelays } from '../../lib/back-off.ts'
import { type Clock, sleep } from '../../lib/clock.ts'

/** Milliseconds. A log ends with each stop of the game, so the waits stay short. */
const waits = { first: 250, max: 2000, stableAfter: 5000 }

/**
 * Follows a log again whenever it ends or fails.
 * @param closed ends it
 * @param follow follows it until it ends, or its signal does @returns ends it too
 */
export function keepFollowing(
  clock: Clock,
  closed: AbortSignal,
  follow: (signal: AbortSignal) => Promise<void>,
): () => void {
  const ended = new AbortController()
  const signal = AbortSignal.any([ended.signal, closed])
  const run = async () => {
    const wait = restartDelays(waits)
    while (!signal.aborted) {
      const began = clock.monotonic()
      // Calls of the host report why it does not answer.
      await follow(signal).catch(() => undefined)
      await sleep(clock, wait(clock.monotonic() - began, clock.random()), signal).catch(() => undefined)
    }
  }
  void run()
  return () => ended.abort()
}
