/** The health of a game that answers and runs, for games whose test sets only a status. */
import type { GameHealth } from '../../handlers/game-bridge.ts'

export const well: GameHealth = { gameAvailable: true, isFrozen: false, tickCount: 0, pendingActions: 0 }
