/** The farm's chat: what its players hear, and what of it the outside hears (reference 3.6). */
import type { ChatLine } from '../../../handlers/game-bridge.ts'
import type { Farm } from './farm.ts'

const kept = 1_000

export interface FarmChat {
  /** A player says something; false when nobody of that id is there to be heard. */
  say(id: bigint, message: string): boolean
  /** A line from outside: heard by the players, told to nobody else. */
  relay(line: ChatLine): void
  /** What the players have seen, newest last, the last thousand lines. */
  readonly seen: readonly string[]
  /** What came from outside, newest last, the last thousand lines. */
  readonly relayed: readonly ChatLine[]
}

export function farmChat(farm: Farm): FarmChat {
  const seen: string[] = []
  const relayed: ChatLine[] = []
  const keep = <T>(lines: T[], line: T) => {
    lines.push(line)
    if (lines.length > kept) lines.shift()
  }
  return {
    seen,
    relayed,
    say(id, message) {
      const speaker = farm.world.visitors.get(id)
      const now = farm.clock.now()
      if (farm.loop.state !== 'running' || speaker === undefined || speaker.loggedInAt > now) return false
      keep(seen, `${speaker.slot.name}: ${message}`)
      // Commands to the server are nobody else's business.
      if (!/^!./.test(message))
        farm.emit({
          type: 'chat',
          playerName: speaker.slot.name,
          message,
          timestamp: new Date(now).toISOString(),
        })
      return true
    },
    relay(line) {
      keep(seen, `(Web) ${line.author}: ${line.message}`)
      keep(relayed, line)
    },
  }
}
