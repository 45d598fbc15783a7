/** When to say that another server is away, that the cause is another one now, and that it is back. */
import type { FailureCause } from './failure-cause.ts'

/** The same cause is told again after this many milliseconds at the earliest, so that two that alternate fill no log. */
const pause = 60_000

export interface OutageNotices {
  /** Seen away; told when that is news, and when its cause is. */
  away(cause: FailureCause): void
  /** Seen well. */
  back(): void
}

interface OutageOptions {
  /** Milliseconds that only ever grow. */
  readonly elapsed: () => number
  readonly onAway: (cause: FailureCause) => void
  /** @param seconds since it was last seen well, or since the start; undefined when it was never told away */
  readonly onBack: (seconds: number | undefined) => void
}

export function outageNotices({ elapsed, onAway, onBack }: OutageOptions): OutageNotices {
  let wellAt = elapsed()
  let wasWell = false
  let told: FailureCause | undefined
  const toldAt = new Map<FailureCause['code'], number>()
  return {
    away(cause) {
      const now = elapsed()
      if (told?.code === cause.code) return
      if (told !== undefined && now - (toldAt.get(cause.code) ?? -Infinity) < pause) return
      told = cause
      toldAt.set(cause.code, now)
      onAway(cause)
    },
    back() {
      const now = elapsed()
      if (told !== undefined) onBack(Math.round((now - wellAt) / 1000))
      else if (!wasWell) onBack(undefined)
      told = undefined
      toldAt.clear()
      wasWell = true
      wellAt = now
    },
  }
}
