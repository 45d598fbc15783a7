/** The game's log as clients may see it: cleaned, and bounded. */
import { FarmError } from '../../handlers/farm-error.ts'
import type { LogEvent } from '../../handlers/game-event.ts'
import type { GameHost } from '../../handlers/game-host.ts'
import { maxLinesASecond, maxLogLines } from '../../handlers/host.ts'
import type { LogLine } from '../../handlers/host-record.ts'
import { type Clock, sleep } from '../../lib/clock.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import { inspectLimit } from './facts.ts'
import { late } from './host-unavailable.ts'

/** Maximum of bytes of UTF-8 in one answer. */
const maxBytes = 256 * 1024
/** Milliseconds in which the output of a typed line is awaited. */
const outputWait = 1000

export type GameLog = ReturnType<typeof gameLog>

/** @param clean makes a line harmless */
export function gameLog(driver: GameHost, clean: (line: string) => string, clock: Clock) {
  const listeners = new Set<(event: LogEvent) => void>()
  /** Lines of this second, and how many of them were omitted. */
  let heard = 0
  let leftOut = 0
  const publish = (event: LogEvent) => {
    for (const listener of listeners) listener(event)
  }
  const cleaned = ({ at, text }: LogLine): LogLine => ({ ...(at !== undefined && { at }), text: clean(text) })
  let unfollow: (() => void) | undefined
  const hear = (listener: (event: LogEvent) => void) => {
    listeners.add(listener)
    unfollow ??= driver.follow((line) => {
      heard += 1
      // Before it is cleaned: a game that prints without end costs no time.
      if (heard > maxLinesASecond) leftOut += 1
      else publish({ type: 'log', ...cleaned(line) })
    })
    return () => {
      listeners.delete(listener)
      if (listeners.size > 0) return
      unfollow?.()
      unfollow = undefined
    }
  }
  return {
    /** As `Host.hearLog`. */
    hear,
    async last(lines: number): Promise<readonly LogLine[]> {
      const wanted = Math.min(lines, maxLogLines)
      const found = await withTimeLimit(inspectLimit, driver.log(wanted), late)
      return lastOf(found.slice(-wanted).map(cleaned))
    },
    async type(line: string): Promise<readonly string[]> {
      const type = () => withTimeLimit(inspectLimit, driver.type(line), late)
      // Refused, unless the console was opened since the last look at it.
      if (!driver.can.console) {
        await type()
        return []
      }
      const output: string[] = []
      const unhear = hear((event) => {
        if (event.type === 'log') output.push(event.text)
      })
      try {
        await type()
        await sleep(clock, outputWait)
      } finally {
        unhear()
      }
      return output
    },
    /** Call this every second. */
    tick() {
      if (leftOut > 0) publish({ type: 'log_gap', lines: leftOut })
      heard = 0
      leftOut = 0
    },
    close: () => unfollow?.(),
  }
}

/** The last lines that together fit into an answer. */
function lastOf(lines: readonly LogLine[]): readonly LogLine[] {
  let bytes = 0
  const first = lines.findLastIndex(({ text }) => {
    bytes += Buffer.byteLength(text) + 1
    return bytes > maxBytes
  })
  return lines.slice(first + 1)
}

/** An unreadable log must not make anything else fail. */
export const linesOrNone = (log: GameLog, lines: number): Promise<readonly LogLine[] | undefined> =>
  log.last(lines).catch((error: unknown) => {
    if (error instanceof FarmError) return undefined
    throw error
  })
