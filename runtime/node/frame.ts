/**
 * A server's WebSocket text frame (RFC 6455 section 5.2): final, unmasked, not compressed.
 * Its bytes are the same for every client, so a chat line is encoded once; `ws` would encode it again for each client.
 */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const extended = length < 126 ? 0 : length < 65_536 ? 2 : 8
  const frame = Buffer.allocUnsafe(2 + extended + length)
  frame[0] = 0x81
  if (extended === 0) frame[1] = length
  else if (extended === 2) {
    frame[1] = 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  frame.write(text, 2 + extended)
  return frame
}
