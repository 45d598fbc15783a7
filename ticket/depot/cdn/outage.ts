import { duration } from '../sizes.ts'
import type { RetryPolicy } from './server-pool.ts'

/** Notifies the operator when the content servers deliver nothing, and when they deliver again. */
export type Outage = ReturnType<typeof watchOutage>

export interface OutageParts {
  readonly retries: Pick<RetryPolicy, 'reportAfter' | 'giveUpAfter'>
  /** Monotonic milliseconds. */
  readonly now: () => number
  readonly say: (text: string) => void
  readonly warn: (text: string) => void
}

export function watchOutage({ retries, now, say, warn }: OutageParts) {
  let since: number | undefined
  let isReported = false
  return {
    /** A request has succeeded. */
    delivered() {
      if (isReported) say('The content servers deliver again.')
      since = undefined
      isReported = false
    },
    /** A request has failed. */
    failed(reason: string) {
      since ??= now()
      if (isReported || now() - since < retries.reportAfter) return
      isReported = true
      const limit = duration(retries.giveUpAfter / 1000)
      warn(`The content servers deliver nothing (${reason}). The download tries again for ${limit}.`)
    },
  }
}
