/** Runs a function once, later. @returns a function that cancels it */
export type After = (milliseconds: number, run: () => void) => () => void

/** Time and timers; a parameter, so that tests can use a clock that they move by hand. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  readonly after: After
}

/** The machine's clock and timers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds)
    return () => clearTimeout(timer)
  },
}

export interface Recurring {
  /** Starts, or restarts the wait before the next run. */
  start(): void
  stop(): void
}

/**
 * Runs a function repeatedly until stopped, with a wait before each run.
 * @param delay milliseconds of the next wait; undefined makes no further run until started again
 */
export function recurring(after: After, delay: () => number | undefined, run: () => void): Recurring {
  let running = false
  let cancel = () => {}
  const wait = () => {
    cancel()
    const milliseconds = delay()
    if (milliseconds === undefined) return
    cancel = after(Math.max(1, milliseconds), () => {
      run()
      if (running) wait()
    })
  }
  return {
    start() {
      running = true
      wait()
    },
    stop() {
      running = false
      cancel()
    },
  }
}
