/** Waits. @returns when the time is over or the signal is aborted, whichever is first */
export const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal.addEventListener('abort', end)
  })

/** A random number from half of `milliseconds` up to it, so that clients do not all return at once. */
export const jitter = (milliseconds: number): number => milliseconds * (0.5 + Math.random() / 2)
