/** The game's log: its last lines and all new ones, also over drops of the connection. */
import type { Farm } from './connect.ts'
import type { Live } from './live.ts'
import type { LogEvent } from './messages.ts'
import type { HostLogLine } from './types.ts'

export interface LogOptions {
  /** How many of the last lines come first, at most 2,000. */
  lines: number
  /** Called with each line; `missing` is 0 where lines may be missing. */
  onLine: (line: LogEvent) => void
  /** Called with the error when the last lines cannot be read, and with undefined when they could be read again. */
  onError: (error: unknown) => void
  signal?: AbortSignal | undefined
}

/** How many lines at the end of one list are the beginning of the other. */
function overlap(before: readonly string[], after: readonly HostLogLine[]): number {
  for (let size = Math.min(before.length, after.length); size > 0; size -= 1)
    if (before.slice(-size).every((text, at) => text === after[at]?.text)) return size
  return 0
}

/** The last lines are read whenever the connection opens, so that none is missing between them and the new ones. */
export function followLog(
  farm: Pick<Farm, 'live' | 'hostLog'>,
  { lines, onLine, onError, signal }: LogOptions,
): Live {
  const live = farm.live({ topics: ['log'], signal })
  /** The texts of the last lines. */
  const last: string[] = []
  /** Lines that came during the newest read of the last ones. */
  let held: HostLogLine[] | undefined
  const add = (line: HostLogLine) => {
    last.push(line.text)
    if (last.length > lines) last.shift()
    onLine(line)
  }
  const read = async () => {
    const came: HostLogLine[] = []
    held = came
    try {
      const { lines: printed } = await farm.hostLog({ lines }, { signal })
      // The connection has opened again: the read that it began has these lines too.
      if (held !== came) return
      const known = overlap(last, printed)
      if (last.length > 0 && known === 0 && printed.length > 0) onLine({ missing: 0 })
      for (const line of printed.slice(known)) add(line)
      onError(undefined)
    } catch (error) {
      if (held !== came) return
      if (signal?.aborted !== true) onError(error)
    }
    held = undefined
    for (const line of came.slice(overlap(last, came))) add(line)
  }
  live.on('state', (state) => {
    // Never `away`: only a connection that follows the status knows that.
    if (state === 'live') void read()
  })
  live.on('log', (line) => {
    if ('missing' in line) onLine(line)
    else if (held === undefined) add(line)
    else held.push(line)
  })
  return live
}
