/** Milliseconds between two log lines about the same thing. */
const interval = 60_000

/** Logs something that can happen thousands of times a second: at most once a minute, with how often it happened. */
export interface CountedNotice {
  count(times?: number): void
  /** Writes the line when it is due; to be called every second. */
  report(): void
}

/**
 * @param monotonic milliseconds, never running backwards
 * @param write writes the line. Its parameter is how often it happened since the last line.
 */
export function countedNotice(monotonic: () => number, write: (count: number) => void): CountedNotice {
  let count = 0
  let writtenAt = Number.NEGATIVE_INFINITY
  return {
    count(times = 1) {
      count += times
    },
    report() {
      if (count === 0 || monotonic() - writtenAt < interval) return
      writtenAt = monotonic()
      write(count)
      count = 0
    },
  }
}
