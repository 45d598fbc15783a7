import { FarmError } from './farm-error.ts'
import type { GameBridge } from './game-bridge.ts'

/**
 * A new game and a reload disconnect every player, so both are rejected while a player is connected, and also when the
 * players are unknown. (JunimoServer continues when it cannot count its players.)
 * @throws {FarmError} players_connected, with the number of players where it is known
 */
export async function requireNoPlayers(game: Pick<GameBridge, 'players'>): Promise<void> {
  const count = await game.players('now').then(
    ({ players }) => players.length,
    () => undefined,
  )
  if (count === undefined) throw new FarmError({ kind: 'players_connected' })
  if (count > 0) throw new FarmError({ kind: 'players_connected', count })
}
