/** Several requests on one connection, upgrades, and clients that leave early. */
import { handshakeText } from '../../raw-bytes.ts'
import type { Requests, Shape } from './shape.ts'

const upgrade = (...lines: readonly string[]) => handshakeText('/ws', ...lines)

export const pipelinedShapes = ({ bearer, keyed, get, post, forbidden }: Requests): readonly Shape[] => [
  ['three requests at once', get('/health') + get(keyed) + get('/nothing'), [200, 401, 401], 'stays'],
  [
    'writes between reads',
    get('/health') + post() + get(keyed, bearer) + post(),
    [200, 200, 200, 200],
    'stays',
  ],
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
]

/** Bytes after which the client leaves, and the possible statuses before that. */
export type Leaver = readonly [what: string, bytes: string, statuses: readonly (readonly number[])[]]

const cut = (text: string, share: number) => text.slice(0, Math.floor(text.length * share))

export const leavers = ({ get, post, forbidden, reads }: Requests): readonly Leaver[] => [
  ['before it has sent anything', '', [[]]],
  ['in the middle of the line', 'GET /hea', [[], [400]]],
  ['in the middle of the headers', cut(forbidden(), 0.7), [[], [400]]],
  ['after a whole request', get('/health'), [[], [200]]],
  ['in the middle of a body', `${post('Content-Length: 100')}hello`, [[], [200]]],
  ['in the middle of a chunk', `${post('Transfer-Encoding: chunked')}64\r\nhello`, [[], [200]]],
  ['in the middle of a body that is read', `${reads('Content-Length: 100')}{`, [[], [400]]],
  ['in the middle of a handshake', cut(upgrade(), 0.8), [[], [400]]],
  ['in the middle of a long poll', get('/wait/players?since=99999999'), [[], [401]]],
]
