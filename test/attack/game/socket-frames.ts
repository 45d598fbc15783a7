/** Frames of a game's `/ws` after the handshake that no server can send, or not endlessly. */
import { clientFrame, type FrameOptions } from '../../raw-bytes.ts'
import { type Breach, flood } from './hostile-socket.ts'
import { type BreachCase, silence } from './socket-handshakes.ts'

const frame = (opcode: number, payload: Buffer | string = '', options: FrameOptions = {}) =>
  clientFrame(opcode, payload, { mask: null, ...options })
const [continuation, text, binary, close, ping] = [0, 1, 2, 8, 9]
const pong = frame(text, '{"type":"pong"}')

const protocol = (what: string) => `it does not keep to the WebSocket protocol (${what})`
export const closed = 'it closed the socket (1001)'
const invalid = (what: string) => protocol(`Invalid WebSocket frame: ${what}`)
const reset = 'the connection was reset'

/** In turn directly after the head of the answer, after a pong, and after a pong byte by byte. */
const sends =
  (bytes: Buffer, then: Breach = () => undefined): Breach =>
  (socket, accepted, attempt) => {
    const before = attempt % 3 === 0 ? [] : [pong]
    const all = Buffer.concat([Buffer.from(accepted), ...before, bytes])
    const size = attempt % 3 === 2 && all.length < 1000 ? 1 : all.length
    for (let at = 0; at < all.length; at += size) socket.write(all.subarray(at, at + size))
    then(socket, accepted, attempt)
  }
const floods = (bytes: Buffer, before: Buffer = Buffer.alloc(0)) =>
  sends(before, (socket) => flood(socket, Buffer.concat(Array<Buffer>(4000).fill(bytes))))

const closing = (code: number, reason: Buffer | string = '') => {
  const payload = Buffer.alloc(2)
  payload.writeUInt16BE(code)
  return frame(close, Buffer.concat([payload, Buffer.from(reason)]))
}
const ends: Breach = (socket) => void socket.end()

/** An announced length of 64 bits, without the bytes. */
const announced = (length: string) => Buffer.concat([Buffer.of(0x81, 127), Buffer.from(length, 'hex')])

const notUtf8 = ['f4908080', 'eda080', 'c0af', 'ff', 'e282', '61f0289dbc62']
/** A text in two fragments, at every possible split. */
const splits = (hex: string): readonly Buffer[] => {
  const bytes = Buffer.from(hex, 'hex')
  return Array.from({ length: bytes.length + 1 }, (_, at) =>
    Buffer.concat([
      frame(text, bytes.subarray(0, at), { fin: false }),
      frame(continuation, bytes.subarray(at)),
    ]),
  )
}

export const frameCases: readonly BreachCase[] = [
  ['a masked text', sends(frame(text, 'x', { mask: Buffer.of(1, 2, 3, 4) })), invalid('MASK must be clear')],
  ['a masked ping', sends(frame(ping, 'x', { mask: Buffer.of(1, 2, 3, 4) })), invalid('MASK must be clear')],
  ['reserved bit 1', sends(frame(text, 'x', { reserved: 0x40 })), invalid('RSV1 must be clear')],
  ['reserved bit 2', sends(frame(text, 'x', { reserved: 0x20 })), invalid('RSV2 and RSV3 must be clear')],
  ['reserved bit 3', sends(frame(ping, 'x', { reserved: 0x10 })), invalid('RSV2 and RSV3 must be clear')],
  ...[3, 7, 11, 15].map(
    (opcode): BreachCase => [
      `opcode ${opcode}`,
      sends(frame(opcode, 'x')),
      invalid(`invalid opcode ${opcode}`),
    ],
  ),
  ['a ping in fragments', sends(frame(ping, 'x', { fin: false })), invalid('FIN must be set')],
  ['a close in fragments', sends(frame(close, 'xx', { fin: false })), invalid('FIN must be set')],
  ['a ping of 126 bytes', sends(frame(ping, 'x'.repeat(126))), invalid('invalid payload length 126')],
  ['a close of 1 byte', sends(frame(close, 'x')), invalid('invalid payload length 1')],
  ['a continuation of nothing', sends(frame(continuation, 'x')), invalid('invalid opcode 0')],
  [
    'a text in the middle of another',
    sends(Buffer.concat([frame(text, 'x', { fin: false }), frame(text, 'x')])),
    invalid('invalid opcode 1'),
  ],
  ['a text of 1 GB', sends(announced('0000000040000000')), protocol('Max payload size exceeded')],
  [
    'a text of 2^53 bytes',
    sends(announced('0020000000000000')),
    protocol('Unsupported WebSocket frame: payload length > 2^53 - 1'),
  ],
  [
    'a text of 2^64 - 1 bytes',
    sends(announced('ffffffffffffffff')),
    protocol('Unsupported WebSocket frame: payload length > 2^53 - 1'),
  ],
  ['a text that is never sent whole', sends(frame(text, 'x', { length: 200_000 })), silence],
  ...[0, 999, 1004, 1005, 1006, 1015, 2999, 5000, 65_535].map(
    (code): BreachCase => [
      `close code ${code}`,
      sends(closing(code), ends),
      invalid(`invalid status code ${code}`),
    ],
  ),
  [
    'a close reason that is not UTF-8',
    sends(closing(1000, Buffer.of(0xff)), ends),
    invalid('invalid UTF-8 sequence'),
  ],
  ['a close', sends(closing(1000), ends), 'it closed the socket (1000)'],
  ['its own close', sends(closing(4999), ends), 'it closed the socket (4999)'],
  ['a close without a code', sends(frame(close), ends), 'it closed the socket (1005)'],
  ['a close, and the connection stays', sends(closing(1001)), closed],
  ['a close, and endless further texts', floods(pong, closing(1001)), closed],
  ...notUtf8.flatMap((hex) =>
    splits(hex).map(
      (bytes, at): BreachCase => [
        `a text of the bytes ${hex}, split at ${at}`,
        sends(bytes),
        protocol('Invalid WebSocket frame: invalid UTF-8 sequence'),
      ],
    ),
  ),
  ['an end without a close', sends(Buffer.alloc(0), ends), reset],
  ['a reset', sends(Buffer.alloc(0), (socket) => void socket.resetAndDestroy()), reset],
  ['no pongs', sends(Buffer.alloc(0)), silence],
  ['endless binary data', floods(frame(binary, Buffer.alloc(1000))), silence],
  [
    'endless fragments',
    floods(frame(continuation, 'x', { fin: false }), frame(text, 'x', { fin: false })),
    protocol('Too many message fragments'),
  ],
  [
    'endless large fragments',
    floods(frame(continuation, 'x'.repeat(1000), { fin: false }), frame(text, 'x', { fin: false })),
    protocol('Max payload size exceeded'),
  ],
  [
    'endless empty fragments',
    floods(frame(continuation, '', { fin: false }), frame(text, 'x', { fin: false })),
    silence,
  ],
  ['endless pings', floods(frame(ping, 'x'.repeat(125))), silence],
]

/** Endless pings from a game that accepts the key and then reads nothing. */
export const pingsUnread: Breach = (socket, accepted) => {
  socket.write(Buffer.concat([Buffer.from(accepted), pong]))
  socket.pause()
  flood(socket, Buffer.concat(Array<Buffer>(4000).fill(frame(ping, 'x'.repeat(125)))))
}
