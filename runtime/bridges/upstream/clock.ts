/** Time as a parameter. */
export interface Clock {
  /** Milliseconds since 1970; may jump. */
  now(): number
  /** Milliseconds that only ever grow, from any start. */
  elapsed(): number
  /** Runs something later; answers how to call it off. */
  after(milliseconds: number, run: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds)
    return () => clearTimeout(timer)
  },
}
