import type { OpenSession, SessionContext } from './open-session.ts'
import { renewToken } from './renew-token.ts'
import type { StoredSession } from './session-file.ts'
import { daysLeft, readToken } from './token.ts'

const day = 86_400_000
const minute = 60_000

/** A token with at most this many days left is renewed, and the operator is warned. */
const renewWithinDays = 30
const warnWithinDays = 14

export interface TokenCheckEvents {
  readonly signal: AbortSignal
  onDaysLeft(days: number | undefined): void
  /** Called with a renewed session that could not be saved, and with undefined once it is saved. */
  onUnsaved(stored: StoredSession | undefined): void
}

/**
 * @param now Steam's clock, milliseconds since 1970
 * @returns whole days until a token expires; undefined when it has no expiry
 */
export const tokenDays = (token: string, now: number): number | undefined =>
  daysLeft(readToken(token).claims?.expiresAt, now)

/**
 * Checks the token of a session once a day until the signal aborts: renews it within 30 days of its expiry and warns
 * within 14. Days are counted by Steam's clock, so a wrong local clock causes no wrong renewal or warning.
 */
export async function checkTokenDaily(
  context: Pick<SessionContext, 'clock' | 'log' | 'store' | 'secrets'>,
  opened: Pick<OpenSession, 'client' | 'stored' | 'refreshToken' | 'saveError' | 'steamNow'>,
  events: TokenCheckEvents,
): Promise<void> {
  const { clock, log, store, secrets } = context
  let stored = opened.stored
  let refreshToken = opened.refreshToken
  let unsaved: StoredSession | undefined = opened.saveError ? opened.stored : undefined

  for (;;) {
    if (stored && !unsaved) {
      // Another process may have renewed the token since. Steam would then refuse this one.
      const latest = (await store.load(stored.username)).session
      if (latest && latest.refreshToken !== refreshToken) {
        secrets.hide(latest.refreshToken)
        stored = latest
        refreshToken = latest.refreshToken
      }
    }
    let days = daysOf(refreshToken)
    if (stored && days !== undefined && days <= renewWithinDays && !unsaved) {
      const renewal = await renewToken(opened.client, stored, store, (token) => secrets.hide(token))
      if (renewal.outcome === 'renewed') {
        stored = renewal.stored
        refreshToken = stored.refreshToken
        days = daysOf(refreshToken)
        if (renewal.saveError === undefined) log.info(`The token was renewed and is good for ${days} days`)
        else {
          unsaved = stored
          events.onUnsaved(stored)
          logUnsaved(renewal.saveError)
        }
      } else if (renewal.outcome === 'no_room') {
        log.error(
          'The token is not renewed, because the new one could not be saved. The old one stays in use. Make SESSION_DIR writable, with room on its disk',
          {
            error: sentence(renewal.error),
          },
        )
      } else if (renewal.outcome === 'failed') log.warn(`The token could not be renewed: ${renewal.reason}`)
    }
    events.onDaysLeft(days)
    if (days !== undefined && days <= warnWithinDays) {
      const remedy = stored
        ? 'Run the login command before that'
        : 'Set a new PLATFORM_REFRESH_TOKEN before that'
      log.warn(`The token ends in ${days} days. ${remedy}`)
    }
    const until = clock.monotonic() + day
    while (unsaved && clock.monotonic() < until) {
      await clock.sleep(minute, events.signal)
      const error: unknown = await store.save(unsaved).then(
        () => undefined,
        (failed: unknown) => failed,
      )
      if (error !== undefined) continue
      unsaved = undefined
      events.onUnsaved(undefined)
      log.info('The session is saved now')
    }
    await clock.sleep(Math.max(until - clock.monotonic(), 0), events.signal)
  }

  function daysOf(token: string): number | undefined {
    return tokenDays(token, opened.steamNow())
  }

  function logUnsaved(error: unknown): void {
    log.error(
      'The token was renewed but could not be saved; it is kept in memory and saved as soon as that works. Make SESSION_DIR writable, with room on its disk',
      {
        error: sentence(error),
      },
    )
  }
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
