import { setTimeout as wait } from 'node:timers/promises'

/** Time, delays and random numbers; a parameter, so that tests can replace it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Waits; rejects with an AbortError when the signal aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
  /** A number from 0 up to 1. */
  random(): number
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) => wait(milliseconds, undefined, signal ? { signal } : {}),
  random: () => Math.random(),
}
