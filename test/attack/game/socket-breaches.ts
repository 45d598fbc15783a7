/** Answers to the handshake on a game's `/ws` that do not accept it, and frames after it that no server can send. */
import { clientFrame, type FrameOptions } from '../../raw-bytes.ts'
import { type Breach, drip, flood } from './hostile-socket.ts'

/** The breach, and the cause in the log. What `ws` refuses has one case a kind. */
export type BreachCase = readonly [what: string, breach: Breach, cause: string]

const protocol = (what: string) => `it does not keep to the WebSocket protocol (${what})`
const invalid = (what: string) => protocol(`Invalid WebSocket frame: ${what}`)
/** After the time that the limits of the test allow. */
export const silence = 'no answer within 0.3 s'
const reset = 'the connection was reset'
const notHttp = (code: string) => `what answers there is not HTTP (${code}); the address may need https://`
const notApi = (status: number) => `what answers there is not its API (status ${status} to a WebSocket)`

/** Replaces a part of the right answer. */
const withLine =
  (line: RegExp, other: string): Breach =>
  (socket, accepted) =>
    void socket.write(accepted.replace(line, other))
const says =
  (...lines: readonly string[]): Breach =>
  (socket) =>
    void socket.write(lines.join('\r\n'))
const status = (line: string): Breach =>
  says(`HTTP/1.1 ${line}`, 'Location: http://127.0.0.1:1/ws', 'Content-Length: 0', '', '')

export const handshakeCases: readonly BreachCase[] = [
  ['status 200', status('200 OK'), notApi(200)],
  ['a redirect', status('307 Temporary Redirect'), notApi(307)],
  ['status 503', status('503 Service Unavailable'), notApi(503)],
  ['a wrong key', withLine(/Accept: ./, 'Accept: _'), protocol('Invalid Sec-WebSocket-Accept header')],
  ['another Upgrade', withLine(/Upgrade: .*/, 'Upgrade: h2c'), protocol('Invalid Upgrade header')],
  ['101 without Upgrade', withLine(/Upgrade: .*\r\n/, ''), notApi(101)],
  ['no HTTP', says('hello there', ''), notHttp('HPE_INVALID_CONSTANT')],
  ['no answer', () => undefined, silence],
  ['an end without an answer', (socket) => void socket.end(), reset],
  ['half an answer', (socket, accepted) => void socket.write(accepted.slice(0, 60)), silence],
  [
    'an endless answer byte by byte',
    (socket) => drip(socket, 'HTTP/1.1 101 x\r\nA: '.padEnd(10_000, 'x')),
    silence,
  ],
  [
    'an endless header',
    (socket) => flood(socket, `HTTP/1.1 101 x\r\nA: ${'x'.repeat(100_000)}`),
    notHttp('HPE_HEADER_OVERFLOW'),
  ],
  ['endless interim answers', (socket) => flood(socket, 'HTTP/1.1 103 Early\r\n\r\n'.repeat(1000)), silence],
  [
    'an endless body',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      flood(socket, 'x'.repeat(64_000))
    },
    notApi(200),
  ],
]

const frame = (opcode: number, payload: Buffer | string = '', options: FrameOptions = {}) =>
  clientFrame(opcode, payload, { mask: null, ...options })
const [continuation, text, binary, close, ping] = [0, 1, 2, 8, 9]
const unfinished = { fin: false } as const
const pong = frame(text, '{"type":"pong"}')

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
const closing = (code: number) => frame(close, Buffer.of(code >> 8, code & 0xff))
const ends: Breach = (socket) => void socket.end()
const begun = frame(text, 'x', unfinished)
export const closed = 'it closed the socket (1001)'

export const frameCases: readonly BreachCase[] = [
  ['a masked text', sends(frame(text, 'x', { mask: Buffer.of(1, 2, 3, 4) })), invalid('MASK must be clear')],
  ['a reserved bit', sends(frame(text, 'x', { reserved: 0x40 })), invalid('RSV1 must be clear')],
  ['a reserved opcode', sends(frame(3, 'x')), invalid('invalid opcode 3')],
  ['a ping of 126 bytes', sends(frame(ping, 'x'.repeat(126))), invalid('invalid payload length 126')],
  ['a text in another', sends(Buffer.concat([begun, frame(text, 'x')])), invalid('invalid opcode 1')],
  ['a text of 1 GB', sends(frame(text, '', { length: 2 ** 30 })), protocol('Max payload size exceeded')],
  ['a text that is never sent whole', sends(frame(text, 'x', { length: 200_000 })), silence],
  ['close code 1005', sends(closing(1005), ends), invalid('invalid status code 1005')],
  ['a close', sends(closing(1000), ends), 'it closed the socket (1000)'],
  ['a close without a code', sends(frame(close), ends), 'it closed the socket (1005)'],
  ['a close, and the connection stays', sends(closing(1001)), closed],
  ['a close, and endless further texts', floods(pong, closing(1001)), closed],
  ['a text that is not UTF-8', sends(frame(text, Buffer.of(0xff))), invalid('invalid UTF-8 sequence')],
  ['an end without a close', sends(Buffer.alloc(0), ends), reset],
  ['a reset', sends(Buffer.alloc(0), (socket) => void socket.resetAndDestroy()), reset],
  ['no pongs', sends(Buffer.alloc(0)), silence],
  ['endless binary data', floods(frame(binary, Buffer.alloc(1000))), silence],
  [
    'endless fragments',
    floods(frame(continuation, 'x', unfinished), begun),
    protocol('Too many message fragments'),
  ],
  [
    'endless large fragments',
    floods(frame(continuation, 'x'.repeat(1000), unfinished), begun),
    protocol('Max payload size exceeded'),
  ],
  ['endless empty fragments', floods(frame(continuation, '', unfinished), begun), silence],
  ['endless pings', floods(frame(ping, 'x'.repeat(125))), silence],
]

/** Endless pings from a game that accepts the key and then reads nothing. */
export const pingsUnread: Breach = (socket, accepted) => {
  socket.write(Buffer.concat([Buffer.from(accepted), pong]))
  socket.pause()
  flood(socket, Buffer.concat(Array<Buffer>(4000).fill(frame(ping, 'x'.repeat(125)))))
}
