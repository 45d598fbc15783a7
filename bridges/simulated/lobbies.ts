/** The two lobbies of a farm, on Steam and on GOG Galaxy, and their invite codes, which are lobby ids. */
import { lobbyVisibility } from '../../handlers/join-path.ts'
import type { Random } from './random.ts'

interface Lobby {
  readonly network: 'platform' | 'galaxy'
  readonly inviteCode: string
  readonly visibility: typeof lobbyVisibility
}
export type Lobbies = ReturnType<typeof openLobbies>

/** The visibility that the game requests when it opens a lobby; its default is friends-only. */
export type ChosenVisibility = 'private' | 'friends_only' | 'public'

const symbols = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ']

/** Opens both lobbies. They are public whatever visibility the game requests (see `lobbyVisibility`). */
export function openLobbies(random: Random, _chosen: ChosenVisibility = 'friends_only') {
  const base = Array.from({ length: 10 }, () => random.pick(symbols)).join('')
  const lobby = (network: Lobby['network'], prefix: 'S' | 'G'): Lobby => ({
    network,
    inviteCode: prefix + base,
    visibility: lobbyVisibility,
  })
  return {
    /** Invite code `S…`: joins through Steam's relay network. */
    platform: lobby('platform', 'S'),
    /** Invite code `G…`: joins through GOG Galaxy. */
    galaxy: lobby('galaxy', 'G'),
  }
}
