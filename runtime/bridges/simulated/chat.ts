/** The farm's chat: what the players see, and which of their lines the API's clients are told. */
import type { ChatLine } from '../../../handlers/game-bridge.ts'
import type { Farm } from './farm.ts'

const kept = 1_000

export interface FarmChat {
  /** A player says something; false when nobody of that id is there to be heard. */
  say(id: bigint, message: string): boolean
  /** A line from the API: shown to the players, and not told back to the API's clients. */
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
      // As in JunimoServer, a line that starts with ! is a command to the server and is not relayed.
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
