import type { Connection } from './game-records.ts'

/**
 * Reads a connection id, as the game logs it: `SN_<Steam id>` came through Steam's relay network,
 * `GN_<GOG Galaxy id>` through GOG Galaxy, `L_…` over LAN, which has no account id.
 * The same person's Steam id and GOG Galaxy id cannot be derived from each other.
 * @example connectionOf('SN_76561198000000001') // { joinPath: 'relay', identity: '76561198000000001' }
 */
export function connectionOf(connectionId: string): Connection {
  if (connectionId.startsWith('L_')) return { joinPath: 'lan' }
  const [, prefix, identity] = /^(SN|GN)_([0-9]+)$/.exec(connectionId) ?? []
  if (identity === undefined) return { joinPath: 'unknown' }
  return { joinPath: prefix === 'SN' ? 'relay' : 'galaxy', identity }
}

/**
 * The visibility of every lobby, whatever the game requests. Invite codes are lobby ids, and with friends-only, the
 * game's default, only friends of the host's account could join by one.
 */
export const lobbyVisibility = 'public'
