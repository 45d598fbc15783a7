import { PlatformError } from '../errors.ts'
import type { TokenRenewal } from '../platform-port.ts'
import type { OpenSession, SessionContext } from './open-session.ts'
import { type Renewal, renewToken } from './renew-token.ts'
import type { StoredSession } from './session-file.ts'
import { daysLeft, readToken } from './token.ts'

export interface TokenEvents {
  onDaysLeft(days: number | undefined): void
  /** Called with a renewed session that could not be saved, and with undefined once it is saved. */
  onUnsaved(stored: StoredSession | undefined): void
}

/** The refresh token of one session with Steam. */
export type SessionToken = ReturnType<typeof sessionToken>

/**
 * @param now Steam's clock, milliseconds since 1970
 * @returns whole days until a token expires; undefined when it has no expiry
 */
export const tokenDays = (token: string, now: number): number | undefined =>
  daysLeft(readToken(token).claims?.expiresAt, now)

/**
 * Renews a token on request.
 * @throws PlatformError `token_from_environment`: Steam would revoke the copy that the environment holds
 */
export async function renewNow(token: SessionToken): Promise<TokenRenewal> {
  if (token.isFromEnvironment) throw new PlatformError('token_from_environment')
  await token.readSaved()
  const previousExpiresAt = token.expiresAt()
  const renewal = await token.renew()
  return {
    outcome: renewal.outcome === 'renewed' ? 'renewed' : renewal.outcome === 'kept' ? 'refused' : 'failed',
    error: problemOf(renewal),
    previousExpiresAt,
    expiresAt: token.expiresAt(),
  }
}

function problemOf(renewal: Renewal): string | undefined {
  if (renewal.outcome === 'failed') return renewal.reason
  if (renewal.outcome === 'no_room')
    return `The new token could not be saved (${sentence(renewal.error)}). The old one stays in use`
  if (renewal.outcome === 'renewed' && renewal.saveError !== undefined)
    return `The new token is in memory only, because it could not be saved (${sentence(renewal.saveError)})`
  return undefined
}

/** @returns the token of a session */
export function sessionToken(
  { log, store, secrets }: Pick<SessionContext, 'log' | 'store' | 'secrets'>,
  opened: Pick<OpenSession, 'client' | 'ended' | 'stored' | 'refreshToken' | 'saveError' | 'steamNow'>,
  events: TokenEvents,
) {
  let { stored, refreshToken } = opened
  let unsaved = opened.saveError ? opened.stored : undefined
  let renewing: Promise<Renewal> | undefined

  const days = () => tokenDays(refreshToken, opened.steamNow())

  function use(session: StoredSession): void {
    stored = session
    refreshToken = session.refreshToken
  }

  function keepUnsaved(session: StoredSession | undefined): void {
    if (session === unsaved) return
    unsaved = session
    events.onUnsaved(session)
  }

  async function run(session: StoredSession): Promise<Renewal> {
    const renewal = await renewToken(opened, session, store, (token) => secrets.hide(token))
    switch (renewal.outcome) {
      case 'renewed':
        use(renewal.stored)
        keepUnsaved(renewal.saveError === undefined ? undefined : renewal.stored)
        events.onDaysLeft(days())
        if (renewal.saveError === undefined)
          log.info({}, `The token was renewed and is good for ${days()} days`)
        else
          log.error(
            { error: sentence(renewal.saveError) },
            'The token was renewed but could not be saved; it is kept in memory and saved as soon as that works. Make SESSION_DIR writable, with room on its disk',
          )
        break
      case 'no_room':
        log.error(
          { error: sentence(renewal.error) },
          'The token is not renewed, because the new one could not be saved. The old one stays in use. Make SESSION_DIR writable, with room on its disk',
        )
        break
      case 'failed':
        log.warn({}, `The token could not be renewed: ${renewal.reason}`)
    }
    return renewal
  }

  return {
    /** Whether the token comes from the environment. The person who set it renews it. */
    isFromEnvironment: opened.stored === undefined,
    /** Whole days until it expires, by Steam's clock; undefined when unknown. */
    daysLeft: days,
    /** When it expires, milliseconds since 1970 by Steam's clock; undefined when unknown. */
    expiresAt: () => readToken(refreshToken).claims?.expiresAt,
    /** Whether the newest token is only in memory. */
    isUnsaved: () => unsaved !== undefined,
    /** Reads the file: another process may have renewed the token since. Steam would then refuse this one. */
    async readSaved(): Promise<void> {
      if (!stored || unsaved) return
      const latest = (await store.load(stored.username)).session
      if (!latest || latest.refreshToken === refreshToken) return
      secrets.hide(latest.refreshToken)
      use(latest)
    },
    /** Saves a token that is only in memory. @returns whether it is saved now */
    async save(): Promise<boolean> {
      const saving = unsaved
      if (saving === undefined) return true
      const saved = await store.save(saving).then(
        () => true,
        () => false,
      )
      if (!saved || unsaved !== saving) return false
      keepUnsaved(undefined)
      log.info({}, 'The session is saved now')
      return true
    },
    /**
     * Asks Steam for a new token, saves it and logs the outcome. A call during a renewal joins it. It has no time limit:
     * a late answer of Steam revokes the old token too. It settles when the session ends.
     */
    async renew(): Promise<Renewal> {
      if (renewing) return renewing
      if (!stored) return { outcome: 'failed', reason: 'the token comes from the environment' }
      renewing = run(stored).finally(() => {
        renewing = undefined
      })
      return renewing
    },
    /** The pending renewal. */
    renewing: () => renewing,
  }
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
