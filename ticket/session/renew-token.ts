import { withTimeLimit } from '../../lib/time-limit.ts'
import type { PlatformClient } from '../steam-user.ts'
import { loadPlatformLibrary } from '../steam-user.ts'
import { logonError } from './logon-error.ts'
import type { SessionStore, StoredSession } from './session-file.ts'

/** Outcome of a request for a new token. */
export type Renewal =
  /** `saveError` is set when the new session could not be saved: the caller keeps it in memory and saves it later. */
  | { readonly outcome: 'renewed'; readonly stored: StoredSession; readonly saveError: unknown }
  /** Steam gave no new token; the old one stays valid. */
  | { readonly outcome: 'kept' }
  /** The disk space for a new session could not be reserved. Steam was not asked; the old token stays valid. */
  | { readonly outcome: 'no_room'; readonly error: unknown }
  | { readonly outcome: 'failed'; readonly reason: string }

const replyTimeout = 15_000

/**
 * Asks Steam for a new token and saves it. Steam revokes the old token when it gives the new one, so disk space is
 * reserved before the request.
 * @param hide called with the new token before it is used, so that no log shows it
 */
export async function renewToken(
  client: PlatformClient,
  stored: StoredSession,
  store: SessionStore,
  hide: (token: string) => void,
): Promise<Renewal> {
  let reservation: Awaited<ReturnType<SessionStore['reserve']>>
  try {
    reservation = await store.reserve(stored.username)
  } catch (error) {
    return { outcome: 'no_room', error }
  }
  let refreshToken: string | undefined
  try {
    refreshToken = await askForToken(client, stored.refreshToken)
  } catch (error) {
    await reservation.release()
    return { outcome: 'failed', reason: logonError(error, loadPlatformLibrary().resultName).message }
  }
  if (refreshToken === undefined) {
    await reservation.release()
    return { outcome: 'kept' }
  }
  hide(refreshToken)
  const renewed = { ...stored, refreshToken }
  try {
    await reservation.commit(renewed)
    return { outcome: 'renewed', stored: renewed, saveError: undefined }
  } catch (saveError) {
    return { outcome: 'renewed', stored: renewed, saveError }
  }
}

/** steam-user renews a token only at a logon (steam-user #460), so the request goes through its sign-in session. */
async function askForToken(client: PlatformClient, refreshToken: string): Promise<string | undefined> {
  const session = client._getLoginSession()
  session.refreshToken = refreshToken
  const noAnswer = () => new Error('Steam did not answer')
  return (await withTimeLimit(replyTimeout, session.renewRefreshToken(), noAnswer))
    ? session.refreshToken
    : undefined
}
