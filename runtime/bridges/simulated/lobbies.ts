/** The two lobbies a farm hosts, and the invite codes that are their raw ids (reference 5.8). */
import { lobbyVisibility } from '../../../handlers/join-path.ts'
import type { Random } from './random.ts'

interface Lobby {
  readonly network: 'platform' | 'galaxy'
  readonly inviteCode: string
  readonly visibility: typeof lobbyVisibility
}
export interface Lobbies {
  /** `S…`: through the platform's relay. */
  readonly platform: Lobby
  /** `G…`: through the second platform. */
  readonly galaxy: Lobby
}

/** What the game asks for when it opens a lobby; friends-only is its default. */
export type ChosenVisibility = 'private' | 'friends_only' | 'public'

const symbols = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ']

/** Opens both, by one rule: public whatever the game chose, for a code must open the gate to everyone. */
export function openLobbies(random: Random, _chosen: ChosenVisibility = 'friends_only'): Lobbies {
  const base = Array.from({ length: 10 }, () => random.pick(symbols)).join('')
  const lobby = (network: Lobby['network'], prefix: 'S' | 'G'): Lobby => ({
    network,
    inviteCode: prefix + base,
    visibility: lobbyVisibility,
  })
  return { platform: lobby('platform', 'S'), galaxy: lobby('galaxy', 'G') }
}
