/** Decides when to log that another server is unreachable, that the cause has changed, and that the server is back. */
import type { Clock } from './clock.ts'
import type { FailureCause } from './failure-cause.ts'

/** Milliseconds before the same cause is logged again, so that two alternating causes do not fill the log. */
const repeatInterval = 60_000

interface OutageOptions extends Pick<Clock, 'monotonic'> {
  readonly onUnreachable: (cause: FailureCause) => void
  /** @param seconds since the server last answered, or since the start; undefined when no outage was reported */
  readonly onBack: (seconds: number | undefined) => void
}

export function outageNotices({ monotonic, onUnreachable, onBack }: OutageOptions) {
  let wellAt = monotonic()
  let wasWell = false
  let reported: FailureCause | undefined
  const reportedAt = new Map<FailureCause['code'], number>()
  return {
    /** Call this for each failure. Calls `onUnreachable` for the first one and when the cause changes. */
    away(cause: FailureCause) {
      const now = monotonic()
      if (reported?.code === cause.code) return
      if (reported !== undefined && now - (reportedAt.get(cause.code) ?? -Infinity) < repeatInterval) return
      reported = cause
      reportedAt.set(cause.code, now)
      onUnreachable(cause)
    },
    /**
     * Call this when the server answers. Calls `onBack` for the first answer, and for the first after an outage.
     * @param at when it answered, by the clock of `monotonic`; now unless given
     */
    back(at: number = monotonic()) {
      if (reported !== undefined) onBack(Math.round((at - wellAt) / 1000))
      else if (!wasWell) onBack(undefined)
      reported = undefined
      reportedAt.clear()
      wasWell = true
      wellAt = at
    },
  }
}
