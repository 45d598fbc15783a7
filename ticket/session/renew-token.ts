import { untilAborted } from '../../lib/time-limit.ts'
import type { PlatformClient } from '../steam-user.ts'
import { loadPlatformLibrary } from '../steam-user.ts'
import type { PlatformConnection } from './logon.ts'
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

/**
 * Asks Steam for a new token and saves it. Steam revokes the old token when it gives the new one, so disk space is
 * reserved before the request. It waits for the answer until the session ends, because a late one revokes the old token too.
 * @param hide called with the new token before it is used, so that no log shows it
 */
export async function renewToken(
  { client, ended }: Pick<PlatformConnection, 'client' | 'ended'>,
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
    refreshToken = await untilAborted(askForToken(client, stored.refreshToken), ended)
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
  return (await session.renewRefreshToken()) ? session.refreshToken : undefined
}
