/** The farm's chat: the lines that players see, and those that clients of the API get. */
import type { ChatLine } from '../../handlers/game-bridge.ts'
import type { Farm } from './farm.ts'

const keptLines = 1_000

export type GameChat = ReturnType<typeof gameChat>

export function gameChat(farm: Farm) {
  const seen: string[] = []
  const relayed: ChatLine[] = []
  const listeners: ((line: ChatLine) => void)[] = []
  const keep = <T>(lines: T[], line: T) => {
    lines.push(line)
    if (lines.length > keptLines) lines.shift()
  }
  return {
    /** The last thousand lines that players have seen, newest last. */
    seen,
    /** The last thousand lines that came from the API, newest last. */
    relayed,
    /** A player writes a line. @returns false when no player of that id is online and logged in */
    say(id: bigint, message: string): boolean {
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
    /** A line from the API: shown to the players, and not sent back to clients of the API. */
    relay(line: ChatLine) {
      keep(seen, `(Web) ${line.author}: ${line.message}`)
      keep(relayed, line)
      for (const listener of listeners) listener(line)
    },
    /** Calls the listener with each line that comes from the API from now on. */
    onRelayed: (listener: (line: ChatLine) => void) => void listeners.push(listener),
    /** A line of the server itself, shown to the players. */
    announce: (message: string) => keep(seen, `Server: ${message}`),
  }
}
