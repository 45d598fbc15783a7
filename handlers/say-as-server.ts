import { FarmError } from './farm-error.ts'
import type { GameBridge } from './game-bridge.ts'

/** The author of a line where the game cannot say it as the server. */
export const announcer = 'Server'

/** Says a line to all players. @throws {FarmError} as the game's call does */
export async function sayAsServer(
  game: Pick<GameBridge, 'announce' | 'sendChat'>,
  message: string,
): Promise<void> {
  try {
    await game.announce(message)
  } catch (error) {
    if (!(error instanceof FarmError) || error.failure.kind !== 'unsupported') throw error
    await game.sendChat({ author: announcer, message })
  }
}
