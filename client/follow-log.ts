/** The game's log: its last lines and those that come, also over drops of the connection. */
import type { Farm } from './connect.ts'
import type { HostLogLine } from './host.ts'
import type { Live } from './live.ts'
import type { LogEvent } from './messages.ts'

export interface LogOptions {
  /** How many of the last lines come first, at most 2,000. */
  lines: number
  /** Is called with each line; `missing` is 0 where lines may be missing. */
  heard: (line: LogEvent) => void
  /** Is called when the last lines cannot be read, and when they could be read again. */
  failed: (error: unknown) => void
  signal?: AbortSignal | undefined
}

/** How many lines at the end of one list are those with which the other begins. */
function overlap(before: readonly string[], after: readonly HostLogLine[]): number {
  for (let size = Math.min(before.length, after.length); size > 0; size -= 1)
    if (before.slice(-size).every((text, at) => text === after[at]?.text)) return size
  return 0
}

/** The last lines are read whenever the connection opens, so that none is missing between them and those that come. */
export function followLog(
  farm: Pick<Farm, 'live' | 'hostLog'>,
  { lines, heard, failed, signal }: LogOptions,
): Live {
  const live = farm.live({ topics: ['log'], signal })
  /** The texts of the last lines. */
  let last: readonly string[] = []
  /** Lines that came while the last ones were being read. */
  let held: HostLogLine[] | undefined
  const hear = (line: HostLogLine) => {
    last = [...last, line.text].slice(-lines)
    heard(line)
  }
  const read = async () => {
    held ??= []
    try {
      const { lines: printed } = await farm.hostLog({ lines }, { signal })
      const known = overlap(last, printed)
      if (last.length > 0 && known === 0 && printed.length > 0) heard({ missing: 0 })
      for (const line of printed.slice(known)) hear(line)
      failed(undefined)
    } catch (error) {
      if (signal?.aborted !== true) failed(error)
    }
    const came = held
    held = undefined
    for (const line of came.slice(overlap(last, came))) hear(line)
  }
  live.on('state', (state) => {
    if (state === 'live' || state === 'away') void read()
  })
  live.on('log', (line) => {
    if ('missing' in line) heard(line)
    else if (held === undefined) hear(line)
    else held.push(line)
  })
  return live
}
