import { sleep } from '../../lib/clock.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import type { SessionContext } from './open-session.ts'
import type { SessionToken } from './session-token.ts'

const day = 86_400_000
const minute = 60_000

/** Milliseconds after which the log reports that Steam has not answered. */
const replyTimeout = 15_000

/** A token with at most this many days left is renewed, and the operator is warned. */
const renewWithinDays = 30
const warnWithinDays = 14

/**
 * Checks the token of a session once a day until the signal aborts: renews it within 30 days of its expiry and warns
 * within 14. Days are counted by Steam's clock, so a wrong local clock causes no wrong renewal or warning.
 */
export async function checkTokenDaily(
  { clock, log }: Pick<SessionContext, 'clock' | 'log'>,
  token: SessionToken,
  { signal, onDaysLeft }: { readonly signal: AbortSignal; onDaysLeft(days: number | undefined): void },
): Promise<void> {
  for (;;) {
    await token.readSaved()
    signal.throwIfAborted()
    if (isDue()) {
      const late = () => new Error('Steam has not answered')
      await withTimeLimit(replyTimeout, token.renew(), late).catch(() =>
        log.warn({}, 'Steam has not answered the request for a new token. A late answer is still saved'),
      )
    }
    const days = token.daysLeft()
    onDaysLeft(days)
    if (days !== undefined && days <= warnWithinDays) {
      const remedy = token.isFromEnvironment
        ? 'Set a new PLATFORM_REFRESH_TOKEN before that'
        : 'Run the login command before that'
      log.warn({}, `The token ends in ${days} days. ${remedy}`)
    }
    const until = clock.monotonic() + day
    for (let left = day; left > 0; left = until - clock.monotonic()) {
      // A token can become unsaved at any time of the day, by a late answer of Steam or by a request for a renewal.
      if (token.isUnsaved() || token.renewing() !== undefined) {
        await sleep(clock, Math.min(minute, left), signal)
        await token.save()
      } else await sleep(clock, left, signal)
    }
  }

  function isDue(): boolean {
    const days = token.daysLeft()
    const isSaved = !token.isFromEnvironment && !token.isUnsaved()
    return isSaved && days !== undefined && days <= renewWithinDays
  }
}
