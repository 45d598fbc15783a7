/** Says a client's message in the game, line by line. Each line is sent to the game at most once. */
import { mayBeMade } from '../farm-error.ts'
import type { GameBridge } from '../game-bridge.ts'
import { lacks } from '../key-holder.ts'

/** Why a message, or the rest of it, was not said; `outcome_unknown` when it may have been said. */
export interface NotSaid {
  readonly code: 'game_unavailable' | 'outcome_unknown' | 'insufficient_scope'
  /** A sentence for the client. */
  readonly error: string
  /** How many lines were not said, or may not have been. */
  readonly lines: number
}

/**
 * Says the lines in order, and stops at the first failure.
 * @returns undefined when all were delivered
 */
export async function sayLines(
  game: Pick<GameBridge, 'sendChat'>,
  author: string,
  lines: readonly string[],
  {
    maySay,
    onSaid,
  }: {
    /** Asked before each line: a key can end while earlier lines are said. */
    readonly maySay: () => boolean
    /** Called after each line that was delivered. */
    readonly onSaid: () => void
  },
): Promise<NotSaid | undefined> {
  let said = 0
  try {
    for (const message of lines) {
      if (!maySay()) return { code: 'insufficient_scope', error: lacks('chat'), lines: lines.length - said }
      await game.sendChat({ author, message })
      said += 1
      onSaid()
    }
    return undefined
  } catch (error) {
    const rest = lines.length - said
    if (mayBeMade(error)) return { code: 'outcome_unknown', error: unknown, lines: rest }
    return { code: 'game_unavailable', error: said > 0 ? partly : undelivered, lines: rest }
  }
}

const undelivered = 'The game server is not reachable; the message was not delivered'
const partly = 'The game server is no longer reachable; only the beginning of the message was delivered'
const unknown = 'The answer of the game server was lost; whether the message was delivered is unknown'
