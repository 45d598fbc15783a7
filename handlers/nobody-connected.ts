import type { GameBridge } from './game-bridge.ts'
import { GameError } from './game-error.ts'

/**
 * A new game and a reload throw out whoever plays, so both are refused while a player is connected. The existing
 * server goes on when it cannot count its players; here that is refused too.
 * @throws {GameError} players_connected
 */
export async function requireNobodyConnected(game: Pick<GameBridge, 'players'>): Promise<void> {
  const count = await game.players().then(
    ({ players }) => players.length,
    () => undefined,
  )
  if (count === undefined) throw new GameError({ kind: 'players_connected' })
  if (count > 0) throw new GameError({ kind: 'players_connected', count })
}
