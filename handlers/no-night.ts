import { FarmError } from './farm-error.ts'
import type { GameBridge } from './game-bridge.ts'
import { presentMoment } from './game-moment.ts'

/** Call this before a change of the saves. @throws {FarmError} save_in_progress */
export async function requireNoNight(game: Pick<GameBridge, 'status' | 'health'>): Promise<void> {
  if ((await presentMoment(game, 'now')).moment === 'night') throw new FarmError({ kind: 'save_in_progress' })
}
