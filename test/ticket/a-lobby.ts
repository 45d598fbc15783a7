/** The keeper of a lobby, with a stand-in for Steam. */
import { lobbyKeeper } from '../../ticket/lobby.ts'
import { fakePlatform, steamId, stillClock } from './fake-platform.ts'

export const request = { gameServerId: 90_071_992_547_409_931n, protocolVersion: '1.6.15', maxMembers: 16 }
export const base = {
  protocolVersion: '1.6.15',
  __gameserverIP: '0',
  __gameserverPort: '0',
  __gameserverSteamID: '90071992547409931',
}

export function keeper() {
  const platform = fakePlatform()
  const warnings: string[] = []
  const clock = stillClock()
  const lobby = lobbyKeeper(platform, clock, (sentence) => void warnings.push(sentence))
  const lose = () => platform.set({ phase: 'waiting', steamId: undefined, retryAt: 0 })
  const comeBack = () => platform.set({ phase: 'logged_on', steamId, session: platform.state().session + 1 })
  return { platform, clock, lobby, warnings, lose, comeBack }
}
