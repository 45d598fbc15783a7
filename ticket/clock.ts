import { setTimeout as wait } from 'node:timers/promises'

/** Time, delays and random numbers; a parameter, so that tests can replace it. */
export interface Clock {
  /** Milliseconds since 1970, by a clock that a person or NTP may set at any time. Only for dates. */
  now(): number
  /** Milliseconds since an unknown moment, the same in all threads. Nobody can set this clock; it measures all waits. */
  monotonic(): number
  /** Waits; rejects with an AbortError when the signal aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
  /** A number from 0 up to 1. */
  random(): number
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  // performance.now() starts at zero in every thread.
  monotonic: () => Number(process.hrtime.bigint() / 1_000_000n),
  sleep: (milliseconds, signal) => wait(milliseconds, undefined, signal ? { signal } : {}),
  random: () => Math.random(),
}
