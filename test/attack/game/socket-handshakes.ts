/** Answers to the handshake on a game's `/ws` that do not accept it. */
import { type Breach, drip, flood } from './hostile-socket.ts'

/** The breach, and the cause in the log. */
export type BreachCase = readonly [what: string, breach: Breach, cause: string]

const protocol = (what: string) => `it does not keep to the WebSocket protocol (${what})`
/** After the time that the limits of the test allow. */
export const silence = 'no answer within 0.3 s'
const reset = 'the connection was reset'
const notHttp = (code: string) => `what answers there is not HTTP (${code}); the address may need https://`

/** Replaces a line of the right answer by name; undefined removes it. */
const withLine =
  (name: string, line?: string): Breach =>
  (socket, accepted) => {
    const lines = accepted.split('\r\n').flatMap((one) => {
      if (!one.startsWith(name)) return [one]
      return line === undefined ? [] : [line]
    })
    socket.write(lines.join('\r\n'))
  }
const withMore =
  (line: string): Breach =>
  (socket, accepted) =>
    void socket.write(accepted.replace('\r\n', `\r\n${line}\r\n`))
const says =
  (...lines: readonly string[]): Breach =>
  (socket) =>
    void socket.write(lines.join('\r\n'))
const status = (line: string, ...headers: readonly string[]): Breach =>
  says(`HTTP/1.1 ${line}`, ...headers, 'Content-Length: 0', '', '')

const unasked = 'Server sent a Sec-WebSocket-Extensions header but no extension was requested'
const wrongAccept = protocol('Invalid Sec-WebSocket-Accept header')
const notUpgraded = 'what answers there is not its API (status 101 to a WebSocket)'
const acceptName = 'Sec-WebSocket-Accept'

const statuses: readonly BreachCase[] = [
  '200 OK',
  '204 No Content',
  '301 Moved Permanently',
  '307 Temporary Redirect',
  '400 Bad Request',
  '404 Not Found',
  '426 Upgrade Required',
  '500 Internal Server Error',
  '503 Service Unavailable',
  '999 Nothing',
].map((line) => [
  `status ${line}`,
  status(line, 'Location: http://127.0.0.1:1/ws'),
  `what answers there is not its API (status ${line.slice(0, 3)} to a WebSocket)`,
])

export const handshakeCases: readonly BreachCase[] = [
  ...statuses,
  [
    'a wrong Sec-WebSocket-Accept',
    withLine(acceptName, `${acceptName}: AAAAAAAAAAAAAAAAAAAAAAAAAAA=`),
    wrongAccept,
  ],
  ['no Sec-WebSocket-Accept', withLine(acceptName), wrongAccept],
  ['two different Sec-WebSocket-Accept', withMore(`${acceptName}: x`), wrongAccept],
  ['another Upgrade', withLine('Upgrade', 'Upgrade: h2c'), protocol('Invalid Upgrade header')],
  ['101 without Upgrade', withLine('Upgrade'), notUpgraded],
  ['101 without Connection', withLine('Connection'), notUpgraded],
  [
    'a subprotocol that was not asked for',
    withMore('Sec-WebSocket-Protocol: chat'),
    protocol('Server sent a subprotocol but none was requested'),
  ],
  [
    'permessage-deflate that was not asked for',
    withMore('Sec-WebSocket-Extensions: permessage-deflate'),
    protocol(unasked),
  ],
  ['a malformed extension', withMore('Sec-WebSocket-Extensions: ,;='), protocol(unasked)],
  ['no HTTP', says('hello there', ''), notHttp('HPE_INVALID_CONSTANT')],
  [
    'a TLS alert',
    (socket) => void socket.write(Buffer.of(21, 3, 3, 0, 2, 2, 70)),
    notHttp('HPE_INVALID_CONSTANT'),
  ],
  ['no answer', () => undefined, silence],
  ['an end without an answer', (socket) => void socket.end(), reset],
  ['a reset without an answer', (socket) => void socket.resetAndDestroy(), reset],
  ['half an answer', (socket, accepted) => void socket.write(accepted.slice(0, 60)), silence],
  ['half an answer and the end', (socket, accepted) => void socket.end(accepted.slice(0, 60)), reset],
  [
    'an endless answer byte by byte',
    (socket) => drip(socket, 'HTTP/1.1 101 x\r\nA: '.padEnd(10_000, 'x')),
    silence,
  ],
  [
    'an endless head',
    (socket) => flood(socket, `HTTP/1.1 101 x\r\n${'A: x\r\n'.repeat(10_000)}`),
    notHttp('HPE_HEADER_OVERFLOW'),
  ],
  [
    'an endless header',
    (socket) => flood(socket, `HTTP/1.1 101 x\r\nA: ${'x'.repeat(100_000)}`),
    notHttp('HPE_HEADER_OVERFLOW'),
  ],
  [
    'endless interim answers',
    (socket) => flood(socket, 'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n'.repeat(1000)),
    silence,
  ],
  [
    'an endless body',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      flood(socket, 'x'.repeat(64_000))
    },
    'what answers there is not its API (status 200 to a WebSocket)',
  ],
]
