/** Several requests on one connection, upgrades, and clients that leave early. */
import { handshakeText } from '../../raw-bytes.ts'
import { forbidden, get, post, type Shape } from './shape.ts'

const upgrade = (...lines: readonly string[]) => handshakeText('/ws', ...lines)

export const pipelinedShapes: readonly Shape[] = [
  ['three requests at once', get('/health') + get('/players') + get('/nothing'), [200, 401, 401], 'stays'],
  ['writes between reads', get('/health') + post() + get('/ready') + post(), [200, 200, 200, 200], 'stays'],
  ['a hundred requests at once', get('/health').repeat(100), Array(100).fill(200), 'stays'],
  [
    'HEAD between others',
    get('/health') + get('/health').replace('GET', 'HEAD') + get('/health'),
    [200, 200, 200],
    'stays',
  ],
  ['a request behind Connection: close', get('/health', 'Connection: close') + forbidden(), [200], 'ends'],
  ['a request behind HTTP/1.0', `GET /health HTTP/1.0\r\n\r\n${forbidden()}`, [200], 'ends'],
  ['a request behind one that is malformed', `${forbidden('nonsense')}${forbidden()}`, [400], 'ends'],
  ['a request behind one without Host', `GET /health HTTP/1.1\r\n\r\n${forbidden()}`, [400], 'ends'],
  [
    'a request behind one that is too large',
    get('/health', `X: ${'y'.repeat(70_000)}`) + forbidden(),
    [431],
    'ends',
  ],
  ['a request behind CONNECT', `CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n${forbidden()}`, [400], 'ends'],
  ['garbage behind a request', `${get('/health')}hello there\r\n\r\n${forbidden()}`, [200, 400], 'ends'],
  ['a handshake behind a request', get('/health') + upgrade() + forbidden(), [200, 426], 'ends'],
]

export const upgradeShapes: readonly Shape[] = [
  ['to h2c', get('/health', 'Connection: Upgrade', 'Upgrade: h2c'), [200], 'stays'],
  ['to TLS', get('/health', 'Connection: Upgrade', 'Upgrade: TLS/1.0'), [200], 'stays'],
  ['without its Connection', upgrade('Connection:'), [426], 'ends'],
  ['with Connection: close', upgrade('Connection: close'), [426], 'ends'],
  ['of a list of protocols', upgrade('Upgrade: h2c, websocket'), [426], 'stays'],
  ['by POST', upgrade().replace('GET', 'POST'), [405], 'stays'],
  ['by HEAD', upgrade().replace('GET', 'HEAD'), [426], 'stays'],
  ['without a key', upgrade('Sec-WebSocket-Key:'), [400], 'ends'],
  ['with an empty key', upgrade('Sec-WebSocket-Key: '), [400], 'ends'],
  ['with a key that is not base64', upgrade('Sec-WebSocket-Key: !!!!!!!!!!!!!!!!!!!!!!=='), [400], 'ends'],
  ['with two keys', upgrade('Sec-WebSocket-Key: a\r\nSec-WebSocket-Key: b'), [400], 'ends'],
  ['without a version', upgrade('Sec-WebSocket-Version:'), [400], 'ends'],
  ['of version 99', upgrade('Sec-WebSocket-Version: 99'), [400], 'ends'],
  ['of an unknown path', handshakeText('/nothing'), [401], 'ends'],
  ['of a path that is no WebSocket', handshakeText('/health'), [200], 'ends'],
  ['of a foreign page', upgrade('Origin: http://evil.example'), [403], 'ends'],
  ['of the origin null', upgrade('Origin: null'), [403], 'ends'],
  ['without a Host', upgrade('Host:'), [400], 'ends'],
  ['with two Hosts', upgrade('Host: x\r\nHost: y'), [400], 'ends'],
  ['of an absolute target', handshakeText('http://x/ws'), [400], 'ends'],
  ['of a target that does not parse', handshakeText('http://['), [400], 'ends'],
  ['of a target with two slashes', handshakeText('//evil.example/ws'), [400], 'ends'],
  [
    'with a body that is a request',
    upgrade(`Content-Length: ${forbidden().length}`, 'Sec-WebSocket-Key:') + forbidden(),
    [400],
    'ends',
  ],
  [
    'with a chunked body',
    `${upgrade('Transfer-Encoding: chunked', 'Sec-WebSocket-Key:')}zz\r\n${forbidden()}`,
    [400],
    'ends',
  ],
]

/** Bytes after which the client leaves, and the statuses that it may be answered before. */
export type Leaver = readonly [what: string, bytes: string, statuses: readonly (readonly number[])[]]

const cut = (text: string, share: number) => text.slice(0, Math.floor(text.length * share))

export const leavers: readonly Leaver[] = [
  ['before it has sent anything', '', [[]]],
  ['in the middle of the line', 'GET /hea', [[], [400]]],
  ['in the middle of the headers', cut(forbidden(), 0.7), [[], [400]]],
  ['after a whole request', get('/health'), [[], [200]]],
  ['in the middle of a body', `${post('Content-Length: 100')}hello`, [[], [200]]],
  ['in the middle of a chunk', `${post('Transfer-Encoding: chunked')}64\r\nhello`, [[], [200]]],
  [
    'in the middle of a body that is read',
    `${forbidden('Content-Length: 100').replace('/rendering?fps=66', '/newgame')}{`,
    [[], [400]],
  ],
  ['in the middle of a handshake', cut(upgrade(), 0.8), [[], [400]]],
  ['after a handshake', upgrade(), [[], [101]]],
  ['in the middle of a long poll', get('/wait/players?since=99999999'), [[], [401]]],
]
