/**
 * Messages of clients that use neither `since` nor `subscribe`, while the game's chat is lost. Such a client does not
 * know the message `error`: it is closed when the chat is not back in time, and that close is the refusal of its lines.
 */
import type { GameReads } from '../game-bridge.ts'
import { isHeld } from './close-times.ts'
import type { RoomClient } from './room-client.ts'
import { failedToSay, type Message, type NotSaid, type Say } from './say.ts'

/** Milliseconds before held lines are tried again. */
const every = 250
/**
 * How often a line is tried that the game did not get although its chat is not known as lost: at the edge that comes up
 * to a second later.
 */
const maxTries = 6

export interface HeldMessageParts {
  readonly game: Pick<GameReads, 'health'>
  readonly say: Say
  /** Whether the key may still send the message. */
  readonly maySay: () => boolean
  /** Milliseconds since 1970. */
  now(): number
  pause(milliseconds: number): Promise<void>
}

/**
 * Says a message. While the chat is lost, it holds the message first; nothing is said after the client was closed.
 * @param isThere whether the client is in the room
 * @returns as `say`
 */
export async function sayHeld(
  client: RoomClient,
  message: Message,
  isThere: () => boolean,
  { game, say, maySay, now, pause }: HeldMessageParts,
): Promise<NotSaid | undefined> {
  let { lines } = message
  let wasHeld = false
  const hold = () => {
    wasHeld = true
    return pause(every)
  }
  const isLost = () => isHeld(client, game.health(), now())
  for (let tries = 1; ; tries += 1) {
    while (isThere() && isLost()) await hold()
    const { session } = client.state
    const hasLeft = !isThere() && (wasHeld || isLost())
    if (hasLeft || session.phase === 'closed')
      return { code: maySay() ? 'game_unavailable' : 'insufficient_scope', lines: lines.length }
    const failed = (error: unknown) => failedToSay(error, lines.length)
    const notSaid = await say({ ...message, lines }).catch(failed)
    const isOld = session.phase === 'open' && !session.stays
    if (!notSaid?.isUnreachable || !isOld || tries === maxTries) return notSaid
    if (notSaid.lines < lines.length) tries = 0
    lines = lines.slice(-notSaid.lines)
    await hold()
  }
}
