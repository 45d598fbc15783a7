import { maxMessageBytes } from '../../handlers/chat/messages.ts'

const utf8 = new TextEncoder()

/** Whether a client's message is over 16 KiB, the most that `/ws` takes (docs/websocket.md). */
export function isTooLong(message: string | ArrayBuffer): boolean {
  if (typeof message !== 'string') return message.byteLength > maxMessageBytes
  // A UTF-16 unit is at most three bytes: short texts need no counting.
  return message.length * 3 > maxMessageBytes && utf8.encode(message).byteLength > maxMessageBytes
}
