/**
 * Lines of clients that use neither `since` nor `subscribe`, while the game's chat is lost. Such a client does not know
 * the message `error`: it is closed when the chat is not back in time, and that close is the refusal of its lines.
 */
import { FarmError } from '../farm-error.ts'
import type { ChatLine, GameBridge } from '../game-bridge.ts'
import { isHeld } from './close-times.ts'
import type { RoomClient } from './room-client.ts'

/** Milliseconds before a held line is tried again. */
const every = 250
/**
 * How often a line is tried that the game did not get although its chat is not known as lost: at the edge that comes up
 * to a second later.
 */
const maxTries = 6

export interface HeldLineParts {
  readonly game: Pick<GameBridge, 'health' | 'sendChat'>
  /** Milliseconds since 1970. */
  now(): number
  pause(milliseconds: number): Promise<void>
}

/**
 * Says a line, and holds it before while the chat is lost; nothing is said after the client was closed.
 * @param isThere whether the client is in the room
 * @throws {FarmError} as `sendChat`; unavailable when the client was closed or has left
 */
export async function sayHeld(
  client: RoomClient,
  line: ChatLine,
  isThere: () => boolean,
  { game, now, pause }: HeldLineParts,
): Promise<void> {
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
    if (hasLeft || session.phase === 'closed') throw new FarmError({ kind: 'unavailable' })
    try {
      return await game.sendChat(line)
    } catch (error) {
      const isOld = session.phase === 'open' && !session.stays
      if (!isOld || !isUnreachable(error) || tries === maxTries) throw error
      await hold()
    }
  }
}

/** Not for a refused key or a rate limit, which last longer than a line is held. */
const isUnreachable = (error: unknown): boolean =>
  error instanceof FarmError && error.failure.kind === 'unavailable' && error.failure.because === undefined
