import type { SessionStore, StoredSession } from '../../ticket/session/session-file.ts'
import { makeToken } from '../platform/accounts.ts'
import { steamId } from './fake-platform.ts'

export const day = 86_400_000
export const start = Date.UTC(2026, 0, 1)
const tokens = new Map<number, string>()
/** A token that is valid until so many days after the start. */
export function tokenFor(days: number): string {
  const exp = (start + days * day) / 1000
  const token = tokens.get(days) ?? makeToken({ sub: steamId, aud: ['client', 'derive'], exp, iat: 0 })
  tokens.set(days, token)
  return token
}
export const sessionWith = (refreshToken: string): StoredSession => ({
  username: 'junimo',
  refreshToken,
  guardData: 'guard',
})

/** A store of sessions in memory; a test gives the parts that read and write. */
export const storeWith = (
  parts: Pick<SessionStore, 'load' | 'save' | 'reserve'> & Partial<SessionStore>,
): SessionStore => ({
  path: () => '',
  folderProblem: async () => undefined,
  isSaved: async () => true,
  remove: async () => false,
  accounts: async () => [],
  ...parts,
})
