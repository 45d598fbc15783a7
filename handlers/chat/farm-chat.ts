/**
 * The events of a farm's game, with a number for each chat line: the farm's own `/ws` and its edge get the same ones.
 */

import type { ChatOutage } from '../chat-outage.ts'
import type { GameBridge } from '../game-bridge.ts'
import type { ChatEvent, NumberedLine, RoomEvent } from '../game-event.ts'
import type { ChatHistory } from './history.ts'
import { chatMessage } from './messages.ts'

export type FarmChat = ReturnType<typeof farmChat>

/** @param onLine called with each new line before any listener */
export function farmChat(
  game: Pick<GameBridge, 'subscribe'>,
  lines: ChatHistory,
  onLine: (line: NumberedLine) => void = () => {},
) {
  const listeners = new Set<(event: RoomEvent) => void>()
  const emit = (event: RoomEvent) => {
    for (const listener of [...listeners]) listener(event)
  }
  const numbered = (event: ChatEvent): RoomEvent => {
    const line = lines.add((seq) => chatMessage(event, seq))
    onLine(line)
    return { ...event, ...line }
  }
  return {
    lines,
    /** Calls the listener with each event from now on. @returns a function that ends this */
    hear(listener: (event: RoomEvent) => void): () => void {
      const own = (event: RoomEvent) => listener(event)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    /** Skips the numbers below `next`, which the edge has given out; does nothing for a number that is made up. */
    skipTo(next: number) {
      const from = lines.next
      lines.skipTo(next)
      if (from < lines.next) emit({ type: 'gap', from, to: lines.next - 1 })
    },
    /** Lines of a time may be missing. @param from ISO 8601, as `to` */
    missed(from: string, to: string): ChatOutage {
      const outage = { after: lines.next - 1, from, to }
      lines.addOutage(outage)
      emit({ type: 'missed', ...outage })
      return outage
    },
    /** Ends the subscription to the game. */
    close: game.subscribe((event) => emit(event.type === 'chat' ? numbered(event) : event)),
  }
}
