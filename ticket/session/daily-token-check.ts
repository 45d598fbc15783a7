import type { OpenSession, SessionContext } from './open-session.ts'
import { renewToken } from './renew-token.ts'
import type { StoredSession } from './session-file.ts'
import { daysLeft, readToken } from './token.ts'

const day = 86_400_000
const minute = 60_000

/** Days before its end from which a token is renewed, and from which the operator is warned. */
const renewWithinDays = 30
const warnWithinDays = 14

export interface TokenCare {
  readonly signal: AbortSignal
  onDaysLeft(days: number | undefined): void
  /** A renewed session that could not be written yet; undefined once it was. */
  onUnsaved(stored: StoredSession | undefined): void
}

/** Whole days until a token ends; undefined when it does not tell. @param now Steam's, milliseconds */
export const tokenDays = (token: string, now: number): number | undefined =>
  daysLeft(readToken(token).claims?.expiresAt, now)

/**
 * Looks after the token of a session until the signal aborts: once a day it renews a token that nears its end, and
 * warns. Days are counted by Steam's clock, so that a wrong clock of ours neither renews nor warns wrongly.
 */
export async function tendToken(context: SessionContext, on: OpenSession, care: TokenCare): Promise<void> {
  const { clock, log, store, secrets } = context
  let stored = on.stored
  let refreshToken = on.refreshToken
  let unsaved: StoredSession | undefined = on.saveError ? on.stored : undefined

  for (;;) {
    if (stored && !unsaved) {
      // Another process may have renewed it meanwhile; ours would then be refused.
      const latest = (await store.load(stored.username)).session
      if (latest && latest.refreshToken !== refreshToken) {
        secrets.hide(latest.refreshToken)
        stored = latest
        refreshToken = latest.refreshToken
      }
    }
    let days = daysOf(refreshToken)
    if (stored && days !== undefined && days <= renewWithinDays && !unsaved) {
      const renewal = await renewToken(on.client, stored, store, (token) => secrets.hide(token))
      if (renewal.outcome === 'renewed') {
        stored = renewal.stored
        refreshToken = stored.refreshToken
        days = daysOf(refreshToken)
        if (renewal.saveError === undefined) log.info(`The token was renewed and is good for ${days} days`)
        else {
          unsaved = stored
          care.onUnsaved(stored)
          tellUnsaved(renewal.saveError)
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
    care.onDaysLeft(days)
    if (days !== undefined && days <= warnWithinDays) {
      const remedy = stored
        ? 'Run the login command before that'
        : 'Set a new PLATFORM_REFRESH_TOKEN before that'
      log.warn(`The token ends in ${days} days. ${remedy}`)
    }
    const until = clock.now() + day
    while (unsaved && clock.now() < until) {
      await clock.sleep(minute, care.signal)
      const error: unknown = await store.save(unsaved).then(
        () => undefined,
        (failed: unknown) => failed,
      )
      if (error !== undefined) continue
      unsaved = undefined
      care.onUnsaved(undefined)
      log.info('The session is saved now')
    }
    await clock.sleep(Math.max(until - clock.now(), 0), care.signal)
  }

  function daysOf(token: string): number | undefined {
    return tokenDays(token, clock.now() + on.clockAhead)
  }

  function tellUnsaved(error: unknown): void {
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
