import type { Connection } from './game-records.ts'

/**
 * A connection id, as the game logs it, to the way the player came in and the identity the game sees
 * (seed, ticket service, "Join paths and identities"): `SN_` the platform's relay with the account's id,
 * `GN_` the second platform's peer-to-peer with its own id, `L_` LAN without any.
 * The two id spaces cannot be correlated, so an id is never carried from one to the other.
 */
export function connectionOf(connectionId: string): Connection {
  const [, prefix, identity] = /^(SN|GN|L)_(.*)$/s.exec(connectionId) ?? []
  if (prefix === 'L') return { joinPath: 'lan' }
  if (prefix === undefined || identity === undefined || !/^[0-9]+$/.test(identity))
    return { joinPath: 'unknown' }
  return { joinPath: prefix === 'SN' ? 'relay' : 'galaxy', identity }
}

/**
 * The visibility every lobby is created with, whatever the game chose: codes are raw lobby ids, and
 * friends-only, the game's default, would lock out everyone who is not the host account's friend.
 */
export const lobbyVisibility = 'public'
