/** Says a client's message in the game, line by line. Each line is sent to the game at most once. */
import * as v from 'valibot'
import type { BegunWrite } from '../audit-entry.ts'
import { FarmError, mayBeMade } from '../farm-error.ts'
import type { GameBridge } from '../game-bridge.ts'
import type { KeyHolder } from '../key-holder.ts'
import type { ChatId } from './messages.ts'

/** A message of a client of `/ws`, as the game gets it. */
export interface Message extends Pick<BegunWrite, 'address' | 'isCommand'> {
  readonly author: string
  readonly lines: readonly string[]
  readonly holder: KeyHolder
  readonly id?: ChatId
}

/** Why a message, or the rest of it, was not said; `outcome_unknown` when it may have been said. */
export const notSaid = v.object({
  code: v.picklist(['game_unavailable', 'outcome_unknown', 'insufficient_scope']),
  /** How many lines were not said, or may not have been. */
  lines: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  /** The game could not be reached; it may be back in a moment. Not for a refused key or a rate limit. */
  isUnreachable: v.exactOptional(v.literal(true)),
})
export type NotSaid = v.InferOutput<typeof notSaid>

/**
 * Says a message with its row of the audit, in the farm's own process.
 * @returns undefined when all lines were delivered
 * @throws {FarmError} when the link to the farm is lost
 */
export type Say = (message: Message) => Promise<NotSaid | undefined>

/**
 * Says the lines in order, and stops at the first failure.
 * @param maySay asked before each line: a key can end while earlier lines are said
 */
export async function sayLines(
  game: Pick<GameBridge, 'sendChat'>,
  { author, lines }: Pick<Message, 'author' | 'lines'>,
  maySay: () => boolean,
): Promise<NotSaid | undefined> {
  let said = 0
  try {
    for (const message of lines) {
      if (!maySay()) return { code: 'insufficient_scope', lines: lines.length - said }
      await game.sendChat({ author, message })
      said += 1
    }
    return undefined
  } catch (error) {
    return failedToSay(error, lines.length - said)
  }
}

/** @param lines that were not said */
export function failedToSay(error: unknown, lines: number): NotSaid {
  if (mayBeMade(error)) return { code: 'outcome_unknown', lines }
  const isUnreachable =
    error instanceof FarmError && error.failure.kind === 'unavailable' && error.failure.because === undefined
  return { code: 'game_unavailable', lines, ...(isUnreachable && { isUnreachable }) }
}
