/** The game's log for the edge: sent several lines at once, because an edge takes few frames a second. */
import type { LogEvent } from '../../../handlers/game-event.ts'
import type { Host } from '../../../handlers/host.ts'
import type { After } from '../../../lib/clock.ts'
import { frameText } from '../protocol.ts'

/** Milliseconds in which lines are gathered, and the UTF-16 units of them after which they are sent at once. */
const gathers = { milliseconds: 100, units: 64 * 1024 } as const

export type LogOutbox = ReturnType<typeof logOutbox>

export function logOutbox(host: Pick<Host, 'hearLog'>, after: After) {
  let waiting: LogEvent[] = []
  let units = 0
  let send: ((text: string) => boolean) | undefined
  let unhear: (() => void) | undefined
  let cancel: (() => void) | undefined
  const flush = () => {
    cancel?.()
    cancel = undefined
    const events = waiting
    waiting = []
    units = 0
    if (events.length === 0 || send?.(frameText({ type: 'log', events }))) return
    // The link is slow: only their number is sent, with the next lines.
    const lines = events.reduce((sum, event) => sum + (event.type === 'log' ? 1 : event.lines), 0)
    waiting = [{ type: 'log_gap', lines }]
  }
  return {
    /** @param send as of `statusFeed`; undefined ends it */
    watch(next: ((text: string) => boolean) | undefined) {
      send = next
      if (next === undefined) {
        unhear?.()
        unhear = undefined
        cancel?.()
        cancel = undefined
        waiting = []
        units = 0
        return
      }
      unhear ??= host.hearLog((event) => {
        waiting.push(event)
        units += event.type === 'log' ? event.text.length : 0
        if (units >= gathers.units) flush()
        else cancel ??= after(gathers.milliseconds, flush)
      })
    },
  }
}
