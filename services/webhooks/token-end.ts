/** Notifies webhooks that the ticket service's sign-in to Steam is about to end. */
import type { Clock } from '../../lib/clock.ts'
import type { Notify } from './make-deliveries.ts'

/** Days before the end at which a notification is sent, each once. */
const thresholds = [14, 7, 3, 1]
/** Milliseconds between two looks. */
const interval = 3_600_000

interface TokenEndParts extends Pick<Clock, 'monotonic'> {
  /** @returns undefined while the ticket service does not answer, or does not know */
  readonly daysRemaining: () => Promise<number | undefined>
  readonly notify: Notify
  /** The last notified number of days, kept over a restart: the smallest one; undefined before the first. */
  readonly reported: {
    readonly read: () => Promise<number | undefined>
    readonly keep: (days: number | undefined) => void
  }
}

/** @returns a function to call every second */
export function tokenEnd({ daysRemaining, notify, reported, monotonic }: TokenEndParts): () => Promise<void> {
  let nextAt = monotonic()
  return async () => {
    if (monotonic() < nextAt) return
    nextAt = monotonic() + interval
    const days = await daysRemaining()
    if (days === undefined) return
    const reached = thresholds.findLast((one) => days <= one)
    const before = await reported.read().catch(() => 'unread' as const)
    if (before === 'unread') {
      nextAt = monotonic()
      return
    }
    if (before === reached) return
    if (reached !== undefined && reached < (before ?? Number.POSITIVE_INFINITY))
      notify('token.expiring', { daysRemaining: Math.max(0, Math.floor(days)) })
    reported.keep(reached)
  }
}
