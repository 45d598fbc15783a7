import type { RoomOptions } from '../../handlers/chat/room.ts'
import type { Log } from '../../lib/log.ts'
import type { ChatMetrics } from '../http/metrics.ts'
import type { ChatAudit } from './chat-audit.ts'

/** Counts and logs the lines of clients that were not said into the game. The text of the lines is not logged. */
export const refusedLines =
  ({ linesRefused }: ChatMetrics, log: Log, audit: Pick<ChatAudit, 'refused'>): RoomOptions['refused'] =>
  (client, code, lines) => {
    linesRefused.inc({ code }, lines)
    log.info({ code, lines, address: client.address }, 'chat lines of a client were not said into the game')
    audit.refused(client, code)
  }
