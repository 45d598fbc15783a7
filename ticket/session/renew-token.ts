import { withTimeLimit } from '../../process/time-limit.ts'
import type { PlatformClient } from '../steam-user.ts'
import { loadPlatformLibrary } from '../steam-user.ts'
import { logonError } from './logon-error.ts'
import type { SessionStore, StoredSession } from './session-file.ts'

/** What came of asking for a new token. */
export type Renewal =
  /** `saveError` is set when the new session is good but could not be written: keep it and write it later. */
  | { readonly outcome: 'renewed'; readonly stored: StoredSession; readonly saveError: unknown }
  /** Steam gave no new token; the old one stays good. */
  | { readonly outcome: 'kept' }
  /** Nothing was asked of Steam: there is no room to save what it would give. The old token stays good. */
  | { readonly outcome: 'no_room'; readonly error: unknown }
  | { readonly outcome: 'failed'; readonly reason: string }

const replyTimeout = 15_000

/**
 * Asks Steam for a new token and saves it before anyone uses it. Steam forgets the old token with the
 * answer, so the room for the new one is taken on the disk first.
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

/** The library renews only at an explicit logon (steam-user #460), so its sign-in session is asked directly. */
async function askForToken(client: PlatformClient, refreshToken: string): Promise<string | undefined> {
  const session = client._getLoginSession()
  session.refreshToken = refreshToken
  const silence = () => new Error('Steam did not answer')
  return (await withTimeLimit(replyTimeout, session.renewRefreshToken(), silence))
    ? session.refreshToken
    : undefined
}
