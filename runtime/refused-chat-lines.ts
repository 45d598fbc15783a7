import type { ChatErrorCode } from '../handlers/chat/messages.ts'
import type { RoomClient } from '../handlers/chat/room-client.ts'
import type { ChatMetrics } from './http/metrics.ts'
import type { Log } from './log.ts'

/** Counts and logs the lines of clients that were not said into the game. The text of the lines is not logged. */
export const refusedLines =
  ({ linesRefused }: ChatMetrics, log: Log) =>
  ({ address }: RoomClient, code: ChatErrorCode, lines: number): void => {
    linesRefused.inc({ code }, lines)
    log.info({ code, lines, address }, 'chat lines of a client were not said into the game')
  }
