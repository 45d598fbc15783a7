/** Limits the number of holders at once. */
export interface Semaphore {
  /** Waits for a place. @returns a function that frees the place. Rejects when the signal aborts. */
  take(signal: AbortSignal): Promise<() => void>
}

/** @param places maximum number of holders */
export function semaphore(places: number): Semaphore {
  let free = places
  const waiting = new Set<() => void>()
  const leave = (): void => {
    const [next] = waiting
    if (next === undefined) {
      free += 1
      return
    }
    waiting.delete(next)
    next()
  }
  const once = (): (() => void) => {
    let left = false
    return () => {
      if (!left) leave()
      left = true
    }
  }
  return {
    take: (signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        if (free > 0) {
          free -= 1
          return resolve(once())
        }
        const aborted = (): void => {
          waiting.delete(enter)
          reject(signal.reason)
        }
        const enter = (): void => {
          signal.removeEventListener('abort', aborted)
          resolve(once())
        }
        waiting.add(enter)
        signal.addEventListener('abort', aborted, { once: true })
      }),
  }
}
