import { type Clock as Timers, systemClock as timers } from '../../lib/clock.ts'

/** The clock of the bridge; a parameter, so that tests can move it. `now` can jump with the machine's clock. */
export interface Clock extends Timers {
  /** Milliseconds of a monotonic clock, for measuring. */
  elapsed(): number
}

export const systemClock: Clock = { ...timers, elapsed: () => performance.now() }
