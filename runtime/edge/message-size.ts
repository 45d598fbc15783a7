const longest = 16 * 1024
const utf8 = new TextEncoder()

/** Whether a client's message is over 16 KiB, the most that `/ws` takes (docs/websocket.md). */
export function isTooLong(message: string | ArrayBuffer): boolean {
  if (typeof message !== 'string') return message.byteLength > longest
  // A UTF-16 unit is at most three bytes: short texts need no counting.
  return message.length * 3 > longest && utf8.encode(message).byteLength > longest
}
