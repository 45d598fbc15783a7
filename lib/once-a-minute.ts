/** At most once a minute, so that events that come thousands of times a second do not fill the log. */

const minute = 60_000

/**
 * @param monotonic milliseconds, never running backwards
 * @returns a function that returns true at most once a minute, and the first time
 */
export function minutely(monotonic: () => number): () => boolean {
  let dueAt = Number.NEGATIVE_INFINITY
  return () => {
    const now = monotonic()
    if (now < dueAt) return false
    dueAt = now + minute
    return true
  }
}

/**
 * Writes about an event when it happens.
 * @param write gets the event, and how many there were since the last call, this one included
 */
export function onceAMinute<Event>(write: (event: Event, count: number) => void, monotonic: () => number) {
  const isDue = minutely(monotonic)
  let count = 0
  return (event: Event): void => {
    count += 1
    if (!isDue()) return
    write(event, count)
    count = 0
  }
}

/** @param write gets how many events there were since the last call */
export function countedNotice(monotonic: () => number, write: (count: number) => void) {
  const isDue = minutely(monotonic)
  let count = 0
  return {
    count(times = 1) {
      count += times
    },
    /** Writes the line when it is due; call this every second. */
    report() {
      if (count === 0 || !isDue()) return
      write(count)
      count = 0
    },
  }
}
