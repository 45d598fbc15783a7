/**
 * What the Workers platform leaves to the object of each WebSocket: the limit of a message, and the answer to a close.
 */
import { maxMessageBytes } from '../../handlers/chat/messages.ts'

const utf8 = new TextEncoder()

/** Whether a client's message is over 16 KiB, the most that `/ws` takes (docs/bot.md). */
export function isTooLong(message: string | ArrayBuffer): boolean {
  if (typeof message !== 'string') return message.byteLength > maxMessageBytes
  // A UTF-16 unit has at most three bytes in UTF-8, so the bytes of short texts need no count.
  return message.length * 3 > maxMessageBytes && utf8.encode(message).byteLength > maxMessageBytes
}

/** Close codes that no frame may carry (RFC 6455 section 7.4.1): the connection ended without a code. */
const codesWithoutFrame: ReadonlySet<number> = new Set([1005, 1006, 1015])

/** Answers the peer's close frame; for hibernating sockets the platform leaves that to the object. */
export function answerClose(ws: WebSocket, code: number): void {
  try {
    ws.close(codesWithoutFrame.has(code) ? 1000 : code)
  } catch {
    // Both sides have closed already.
  }
}
