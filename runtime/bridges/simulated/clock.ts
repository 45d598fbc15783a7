/** Time as the farm knows it: a parameter, so that a test can hold it still. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Runs once, later; answers how to call it off. */
  after(milliseconds: number, run: () => void): () => void
}

/** The time of day outside; the same on Node, in a Worker and in a browser. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds)
    return () => clearTimeout(timer)
  },
}

export interface Recurring {
  /** Waits anew from now. */
  start(): void
  stop(): void
}

/**
 * Runs again and again until stopped, waiting before each time.
 * @param delay milliseconds; undefined rests until started again
 */
export function recurring(clock: Clock, delay: () => number | undefined, run: () => void): Recurring {
  let running = false
  let cancel = () => {}
  const wait = () => {
    cancel()
    const milliseconds = delay()
    if (milliseconds === undefined) return
    cancel = clock.after(Math.max(1, milliseconds), () => {
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
