import type { RoomOptions } from '../../handlers/chat/room.ts'
import type { Log } from '../../lib/log.ts'
import type { ChatMetrics } from '../http/metrics.ts'
import type { ChatAudit } from './chat-audit.ts'
import { type SummedLines, summedLines } from './summed-lines.ts'

interface RefusedLines extends Pick<SummedLines<unknown>, 'flush'> {
  readonly note: RoomOptions['refused']
}

/**
 * Counts, logs and records client lines that the game did not get, without their text. The log has one line a minute
 * for each address and reason.
 * @param monotonic milliseconds, never running backwards
 */
export function refusedLines(
  { linesRefused }: ChatMetrics,
  log: Pick<Log, 'info'>,
  audit: Pick<ChatAudit, 'refused' | 'flush'>,
  monotonic: () => number,
): RefusedLines {
  const logged = summedLines<string>(
    (lines, { address }, code) =>
      log.info({ code, lines, address }, 'chat lines of a client were not said into the game'),
    monotonic,
  )
  return {
    note(client, code, lines) {
      linesRefused.inc({ code }, lines)
      logged.note(`${code} ${client.address}`, lines, client, code)
      audit.refused(client, code, lines)
    },
    flush(isLast) {
      logged.flush(isLast)
      audit.flush(isLast)
    },
  }
}
