/** A client's message on its way into the game, line by line, each exactly once. */
import type { GameBridge } from '../game-bridge.ts'
import { GameError } from '../game-error.ts'
import { errorMessage } from './messages.ts'

/**
 * Says the lines in order and stops at the first that the game does not take.
 * @param onSaid called after each line that was delivered
 * @returns what to tell the client; undefined when all were delivered
 */
export async function sayLines(
  game: Pick<GameBridge, 'sendChat'>,
  author: string,
  lines: readonly string[],
  onSaid: () => void,
): Promise<string | undefined> {
  let said = 0
  try {
    for (const message of lines) {
      await game.sendChat({ author, message })
      said += 1
      onSaid()
    }
    return undefined
  } catch (error) {
    const isUnknown = error instanceof GameError && error.failure.kind === 'timeout'
    return errorMessage('game_unavailable', isUnknown ? unknown : said > 0 ? partly : undelivered)
  }
}

const undelivered = 'The game server is not reachable; the message was not delivered'
const partly = 'The game server is no longer reachable; only the beginning of the message was delivered'
const unknown = 'The game server did not answer in time; whether the message was delivered is unknown'
