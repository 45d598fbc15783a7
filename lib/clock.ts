/** Runs a function once, later. @returns a function that cancels it */
export type After = (milliseconds: number, run: () => void) => () => void

/** Time, timers and randomness; a parameter, so that tests can set the time themselves. */
export interface Clock {
  /** Milliseconds since 1970, by a clock that a person or NTP may set at any time. Only for dates. */
  now(): number
  /** Milliseconds since an unknown moment. No one can set this clock, which never runs backwards: it measures all waits. */
  monotonic(): number
  readonly after: After
  /** A number from 0 up to 1. */
  random(): number
}

/** The machine's clock and timers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  // performance.now() starts at zero in every thread.
  monotonic: () => Number(process.hrtime.bigint()) / 1e6,
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds)
    return () => clearTimeout(timer)
  },
  random: () => Math.random(),
}

/** Waits. @throws the reason of the signal when it aborts */
export async function sleep(
  { after }: Pick<Clock, 'after'>,
  milliseconds: number,
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const cancel = after(milliseconds, resolve)
  const abort = () => {
    cancel()
    reject(signal?.reason)
  }
  signal?.addEventListener('abort', abort, { once: true })
  try {
    await promise
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}

/**
 * Runs a function repeatedly until stopped, with a wait before each run.
 * @param delay milliseconds of the next wait; undefined pauses until the next start
 */
export function recurring(after: After, delay: () => number | undefined, run: () => void) {
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
    /** Starts, or restarts the wait before the next run. */
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
