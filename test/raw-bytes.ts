/** HTTP requests, WebSocket handshakes and frames as bytes, because client libraries do not make malformed ones. */

/** Lines of a request with `Connection: close`, as bytes of latin-1. */
export const requestText = (first: string, ...headers: readonly string[]): string =>
  `${[first, 'Host: localhost', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`

/** A valid handshake, with the given lines replaced by name; a line that ends with a colon removes it. */
export function handshakeText(target: string, ...replaced: readonly string[]): string {
  const lines = new Map([
    ['host', 'Host: localhost'],
    ['connection', 'Connection: Upgrade'],
    ['upgrade', 'Upgrade: websocket'],
    ['sec-websocket-version', 'Sec-WebSocket-Version: 13'],
    ['sec-websocket-key', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='],
  ])
  for (const line of replaced) lines.set(line.slice(0, line.indexOf(':')).toLowerCase(), line)
  return `GET ${target} HTTP/1.1\r\n${[...lines.values()].filter((line) => !line.endsWith(':')).join('\r\n')}\r\n\r\n`
}

export interface FrameOptions {
  readonly fin?: boolean
  /** The reserved bits of the first byte: 0x40, 0x20, 0x10. */
  readonly reserved?: number
  /** The length that the frame announces; that of the payload unless given. */
  readonly length?: number
  /** How many bytes the length has; as few as possible unless given. */
  readonly lengthBytes?: 1 | 2 | 8
  /** Four bytes; zeros unless given. Null: the frame is not masked. */
  readonly mask?: Buffer | null
}

const noMask = Buffer.alloc(4)

/** A client's frame. @param opcode 0 continuation, 1 text, 2 binary, 8 close, 9 ping, 10 pong */
export function clientFrame(
  opcode: number,
  payload: Buffer | string,
  { fin = true, reserved = 0, length, lengthBytes, mask = noMask }: FrameOptions = {},
): Buffer {
  const bytes = Buffer.from(payload)
  const announced = length ?? bytes.length
  const size = lengthBytes ?? (announced < 126 ? 1 : announced < 65_536 ? 2 : 8)
  const masked = mask === null ? 0 : 0x80
  const seven = size === 1 ? announced : size === 2 ? 126 : 127
  const head = Buffer.from([(fin ? 0x80 : 0) | reserved | opcode, masked | seven])
  const extended = size === 1 ? Buffer.alloc(0) : uint(announced, size)
  if (mask === null) return Buffer.concat([head, extended, bytes])
  const hidden = bytes.map((byte, at) => byte ^ (mask[at % 4] ?? 0))
  return Buffer.concat([head, extended, mask, hidden])
}

function uint(value: number, bytes: 2 | 8): Buffer {
  const buffer = Buffer.alloc(bytes)
  if (bytes === 2) buffer.writeUInt16BE(value)
  else buffer.writeBigUInt64BE(BigInt(value))
  return buffer
}

export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1])
export const bodyOf = (answer: string): string => answer.slice(answer.indexOf('\r\n\r\n') + 4)

/** The statuses of all answers on one connection, in order, without `100 Continue`. */
export const statusesOf = (answers: string): readonly number[] =>
  Array.from(answers.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => Number(status)).filter(
    (status) => status !== 100,
  )

/** The answers on one connection, in order, without `100 Continue`. */
export const answersIn = (received: string): readonly string[] =>
  received.split(/(?=HTTP\/1\.1 \d{3} )/).filter((answer) => statusesOf(answer).length > 0)
