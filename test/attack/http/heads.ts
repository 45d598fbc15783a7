/** Request lines and header lines (RFC 9112 sections 2, 3 and 5): one of each kind that Node's parser refuses, and all of our own. */
import { lines, type Requests, type Shape } from './shape.ts'

const health = (first: string) => `${first}\r\nHost: x\r\n\r\n`

export const lineShapes = ({ bearer, keyed, good, bad, get }: Requests): readonly Shape[] => {
  const write = (first: string) => `${first}\r\nHost: x\r\n${bearer}\r\n\r\n`
  return [
    ['absolute-form', health('GET http://x/health HTTP/1.1'), [200], 'stays'],
    ['absolute-form of another host', health('GET http://evil.example/health HTTP/1.1'), [200], 'stays'],
    ['absolute-form with an empty host', health('GET http:///health HTTP/1.1'), [401], 'stays'],
    ['absolute-form with a malformed host', health('GET http://[/health HTTP/1.1'), [400], 'stays'],
    ['authority-form', health('GET evil.example:443 HTTP/1.1'), [400], 'ends'],
    ['CONNECT', health('CONNECT evil.example:443 HTTP/1.1'), [400], 'ends'],
    ['asterisk-form', health('OPTIONS * HTTP/1.1'), [400], 'stays'],
    ['a path without a slash', health('GET health HTTP/1.1'), [400], 'ends'],
    ['a fragment', health('GET /health#x HTTP/1.1'), [200], 'stays'],
    ['latin-1 in the target', health('GET /\xe9 HTTP/1.1'), [400], 'ends'],
    ['a NUL in the target', write(`POST ${bad}\x00 HTTP/1.1`), [400], 'ends'],
    ['a line of 200 KB', get(`/${'x'.repeat(200_000)}`), [431], 'ends'],
    ['HTTP/1.0', 'GET /health HTTP/1.0\r\n\r\n', [200], 'ends'],
    ['HTTP/1.0 and the key', `GET ${keyed} HTTP/1.0\r\n${bearer}\r\n\r\n`, [200], 'ends'],
    ['a write of HTTP/1.0', `POST ${good} HTTP/1.0\r\n${bearer}\r\n\r\n`, [200], 'ends'],
    ['HTTP/0.9', 'GET /health\r\n\r\n', [400], 'ends'],
    ['HTTP/2.0', write(`POST ${bad} HTTP/2.0`), [400], 'ends'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400], 'ends'],
    ['TLS', `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03${'\x07'.repeat(300)}`, [400], 'ends'],
    ['an unknown method', write(`BREW ${bad} HTTP/1.1`), [400], 'ends'],
    ...[
      ...'/ // /// /%zz /% /%00 /.. /docs/../../etc/passwd /. /; /health% /health%20 /? /?%zz /#fragment'.split(
        ' ',
      ),
      ...'/__proto__ /constructor'.split(' '),
    ].map((target): Shape => [`the target ${target}`, get(target), [401], 'stays']),
    ...['/\\', '/\\\\evil.example', '/\\evil.example'].map(
      (target): Shape => [`the target ${target}`, get(target), [400], 'stays'],
    ),
    ...['/\x01', ''].map(
      (target): Shape => [`the target ${JSON.stringify(target)}`, get(target), [400], 'ends'],
    ),
    ['empty lines before the line', `\r\n\r\n${health('GET /health HTTP/1.1')}`, [200], 'stays'],
  ]
}

export const headerShapes = ({
  bearer,
  bad,
  keyed,
  get,
  post,
  forbidden: line,
}: Requests): readonly Shape[] => [
  ['no Host', `POST ${bad} HTTP/1.1\r\n${bearer}\r\n\r\n`, [400], 'ends'],
  ['two Hosts', line('Host: x'), [400], 'ends'],
  ['two Hosts of HTTP/1.0', get('/health', 'Host: y').replace('1.1', '1.0'), [400], 'ends'],
  ...['a b', '[', ']:::', 'x:99999', '%zz', 'http://x', '/', '@'].map(
    (host): Shape => [`the Host ${host}`, lines('GET /health HTTP/1.1', `Host: ${host}`), [400], 'stays'],
  ),
  ...['LOCALHOST', '[::ffff:127.0.0.1]:8080', '[0:0:0:0:0:0:0:1]', '\xe9', 'a'.repeat(3000)].map(
    (host): Shape => [
      `the Host ${host.slice(0, 30)}`,
      lines('GET /health HTTP/1.1', `Host: ${host}`),
      [200],
      'stays',
    ],
  ),
  ['an empty Host', `GET /health HTTP/1.1\r\nHost:\r\n\r\n`, [200], 'stays'],
  ['a folded line', line('X: a\r\n b'), [400], 'ends'],
  ['a bare line feed between lines', line('X: a\nY: b'), [400], 'ends'],
  ['bare line feeds at the end of all lines', line().replaceAll('\r\n', '\n'), [400], 'ends'],
  ['a NUL in a value', line('X: a\x00b'), [400], 'ends'],
  ['latin-1 in a value', get('/health', 'X: caf\xe9'), [200], 'stays'],
  ['a blank before the colon', line('X : a'), [400], 'ends'],
  [
    'names of object members',
    get('/health', '__proto__: x', 'constructor: y', 'toString: z'),
    [200],
    'stays',
  ],
  ['a value of 200 KB', get('/health', `X: ${'y'.repeat(200_000)}`), [431], 'ends'],
  ['900 headers of one byte', get('/health', ...Array<string>(900).fill('a:')), [200], 'stays'],
  ['1,000 headers of one byte', get('/health', ...Array<string>(1000).fill('a:')), [431], 'ends'],
  ['a key sent twice', get(keyed, bearer, bearer), [401], 'stays'],
  ['a key sent twice, the first wrong', get(keyed, 'Authorization: Bearer x', bearer), [401], 'stays'],
  ['a key of another scheme', get(keyed, bearer.replace('Bearer', 'Basic')), [401], 'stays'],
  ['a key of 10 KB', get(keyed, `Authorization: Bearer ${'k'.repeat(10_000)}`), [401], 'stays'],
  ['a key in a list', get(keyed, `${bearer}, ${bearer}`), [401], 'stays'],
  ['Expect: 100-continue', `${post('Expect: 100-continue', 'Content-Length: 3')}abc`, [200], 'stays'],
  ['an unknown expectation', get('/health', 'Expect: tea'), [200], 'stays'],
  ['Connection: close', get('/health', 'Connection: close'), [200], 'ends'],
]
