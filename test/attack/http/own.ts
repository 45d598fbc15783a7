/** Requests that only one of the services gets, or answers differently. */
import { handshakeText } from '../../raw-bytes.ts'
import { lines, type Requests, type Shape } from './shape.ts'

export const controlShapes = ({ bearer, bad, get }: Requests): readonly Shape[] => [
  ['a line of 5 KB', get(`/${'x'.repeat(5000)}`), [414], 'stays'],
  ['a line of 20 KB', get(`/${'x'.repeat(20_000)}`), [414], 'stays'],
  ['a value of 17 KB', get('/health', `X: ${'y'.repeat(17_000)}`), [431], 'stays'],
  ['a name of 17 KB', get('/health', `${'x'.repeat(17_000)}: y`), [431], 'stays'],
  ['a body of DELETE', `${get('/health', 'Content-Length: 3').replace('GET', 'DELETE')}abc`, [405], 'stays'],
  ['two slashes', get('//health'), [401], 'stays'],
  ['TRACE', get('/status').replace('GET', 'TRACE'), [405], 'stays'],
  ['PROPFIND', get('/status').replace('GET', 'PROPFIND'), [405], 'stays'],
  [
    'a foreign Origin that is the host of an absolute-form target',
    lines(`POST http://evil.example${bad} HTTP/1.1`, 'Host: x', bearer, 'Origin: http://evil.example'),
    [403],
    'stays',
  ],
]

const upgrade = (...lines: readonly string[]) => handshakeText('/ws', ...lines)

/** Handshakes of the chat. */
export const upgradeShapes = ({ get, forbidden }: Requests): readonly Shape[] => [
  ['to h2c', get('/health', 'Connection: Upgrade', 'Upgrade: h2c'), [200], 'stays'],
  [
    'by curl --http2',
    get(
      '/health',
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA',
    ),
    [200],
    'stays',
  ],
  ['to TLS', get('/health', 'Connection: Upgrade', 'Upgrade: TLS/1.0'), [200], 'stays'],
  ['without its Connection', upgrade('Connection:'), [426], 'ends'],
  ['with Connection: close', upgrade('Connection: close'), [426], 'ends'],
  ['of a list of protocols', upgrade('Upgrade: h2c, websocket'), [426], 'stays'],
  ['by POST', upgrade().replace('GET', 'POST'), [405], 'stays'],
  ['by HEAD', upgrade().replace('GET', 'HEAD'), [426], 'stays'],
  ['without a key', upgrade('Sec-WebSocket-Key:'), [400], 'ends'],
  ['with an empty key', upgrade('Sec-WebSocket-Key: '), [400], 'ends'],
  ['with a key that is not base64', upgrade('Sec-WebSocket-Key: !!!!!!!!!!!!!!!!!!!!!!=='), [400], 'ends'],
  ['with a short key', upgrade('Sec-WebSocket-Key: abc'), [400], 'ends'],
  ['with a key of 10 KB', upgrade(`Sec-WebSocket-Key: ${'a'.repeat(10_000)}`), [400], 'ends'],
  ['with two keys', upgrade('Sec-WebSocket-Key: a\r\nSec-WebSocket-Key: b'), [400], 'ends'],
  ['without a version', upgrade('Sec-WebSocket-Version:'), [400], 'ends'],
  ['of version 7', upgrade('Sec-WebSocket-Version: 7'), [400], 'ends'],
  ['of version 99', upgrade('Sec-WebSocket-Version: 99'), [400], 'ends'],
  ['of an unknown path with a percent sign', handshakeText('/%zz'), [401], 'ends'],
  ['of an unknown path', handshakeText('/nothing'), [401], 'ends'],
  ['of a path that is not a WebSocket', handshakeText('/health'), [200], 'ends'],
  ['of a foreign page', upgrade('Origin: http://evil.example'), [403], 'ends'],
  ['of the origin null', upgrade('Origin: null'), [403], 'ends'],
  ['without a Host', upgrade('Host:'), [400], 'ends'],
  ['with two Hosts', upgrade('Host: x\r\nHost: y'), [400], 'ends'],
  ...['//', '/\\', 'http://a:99999/ws', '*', 'ws', '', '/\\evil.example', '///ws', '/ws#x', '/ws\x01'].map(
    (target): Shape => [`of the target ${JSON.stringify(target)}`, handshakeText(target), [400], 'ends'],
  ),
  ['of a long target', handshakeText(`/ws?${'x'.repeat(12_000)}`), [414], 'ends'],
  ['with a subprotocol', upgrade('Sec-WebSocket-Protocol: chat'), [101], 'ends'],
  ['with a malformed subprotocol', upgrade('Sec-WebSocket-Protocol: a,,b'), [101], 'ends'],
  ['with malformed extensions', upgrade('Sec-WebSocket-Extensions: ;;;='), [101], 'ends'],
  ['with a malformed Host', upgrade('Host: ]['), [101], 'ends'],
  ['behind a request', get('/health') + upgrade() + forbidden(), [200, 426], 'ends'],
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

export const ticketShapes = ({ key, bearer, keyed, get }: Requests): readonly Shape[] => [
  ['a line of 20 KB', get(`/${'x'.repeat(20_000)}`), [431], 'ends'],
  ['a value of 17 KB', get('/health', `X: ${'y'.repeat(17_000)}`), [431], 'ends'],
  ['HEAD without the key', get(keyed).replace('GET', 'HEAD'), [401], 'stays'],
  ['HEAD with the key', get(keyed, bearer).replace('GET', 'HEAD'), [200], 'stays'],
  ['OPTIONS without the key', get(keyed).replace('GET', 'OPTIONS'), [401], 'stays'],
  ['OPTIONS with the key', get(keyed, bearer).replace('GET', 'OPTIONS'), [405], 'stays'],
  ['TRACE, which would repeat the key', get(keyed, bearer).replace('GET', 'TRACE'), [405], 'stays'],
  ['DELETE', get(keyed, bearer).replace('GET', 'DELETE'), [405], 'stays'],
  ['an address as target', get(`http://x${keyed}`, bearer), [200], 'stays'],
  ['the key in the path', get(`/${key}${keyed}`), [200], 'stays'],
  ['the key with its characters encoded in the path', get(`/%63${key.slice(1)}${keyed}`), [401], 'stays'],
  ['the key behind a dot segment', get(`/x/../${key}${keyed}`), [200], 'stays'],
  ['the key as second segment', get(`/x/${key}${keyed}`), [401], 'stays'],
  ['the key in the query', get(`${keyed}?key=${key}`), [401], 'stays'],
  ['a handshake, which is a request like any other', handshakeText('/health'), [200], 'stays'],
]
