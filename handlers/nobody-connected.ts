import type { GameBridge } from './game-bridge.ts'
import { GameError } from './game-error.ts'

/**
 * A world is taken away only from nobody. The existing server goes on when it cannot count its players;
 * here not knowing is a refusal too.
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
