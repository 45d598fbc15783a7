const minute = 60_000

/**
 * Calls a function at most once a minute, so that an event that happens often does not fill the log.
 * @param write gets what the first of these events is about, and how many there were since the last call, this one
 *   included
 * @param monotonic milliseconds that only ever grow
 */
export function onceAMinute<Event>(write: (event: Event, count: number) => void, monotonic: () => number) {
  let writtenAt = Number.NEGATIVE_INFINITY
  let count = 0
  return (event: Event): void => {
    count += 1
    if (monotonic() - writtenAt < minute) return
    writtenAt = monotonic()
    write(event, count)
    count = 0
  }
}
