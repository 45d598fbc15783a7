/** HTTP requests as raw bytes, which client libraries do not send. */
import { expect, onTestFinished, test } from 'vitest'
import {
  acceptedSockets,
  bodyOf,
  everything,
  exchange,
  openSocket,
  openStubborn,
  statusOf,
} from '../runtime/node/raw-socket.ts'
import { eventually } from '../wait.ts'
import { fakePlatform } from './fake-platform.ts'
import { httpSetting, listening } from './http-setting.ts'

const key = 'canary-key.~_-0123456789'
const lobby = '{"game_server_steam_id":1,"protocol_version":"1"}'

async function server(ticketKey: string | undefined = key, limits = {}, platform = fakePlatform()) {
  const setting = httpSetting(platform, ticketKey)
  const { port, close } = await listening(setting, limits)
  onTestFinished(close)
  return { ...setting, platform, port }
}

const lines = (...given: readonly string[]) => `${given.join('\r\n')}\r\n\r\n`
/** A request that ends its connection. */
const ask = (first: string, ...headers: readonly string[]) =>
  lines(`${first} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers)
const bearer = `Authorization: Bearer ${key}`
const post = (...headers: readonly string[]) =>
  lines('POST /steam/lobby/create HTTP/1.1', 'Host: x', 'Content-Type: application/json', bearer, ...headers)
const create = post(`Content-Length: ${lobby.length}`) + lobby
const statuses = (answers: string) =>
  Array.from(answers.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => Number(status))

test.each([
  ['no path', ask('GET //'), 401],
  ['an address as target', ask('GET http://x/platform/app-ticket', bearer), 200],
  ['an address that is none as target', ask('GET http://['), 400],
  ['bytes that are no UTF-8 in the path', ask('GET /%ff%00'), 401],
  ['a backslash in the path', ask('GET \\\\platform\\\\app-ticket'), 400],
  ['HEAD without the key', ask('HEAD /platform/app-ticket'), 401],
  ['HEAD with the key', ask('HEAD /platform/app-ticket', bearer), 200],
  ['OPTIONS without the key', ask('OPTIONS /platform/app-ticket'), 401],
  ['OPTIONS with the key', ask('OPTIONS /platform/app-ticket', bearer), 405],
  ['OPTIONS of the server', ask('OPTIONS *', bearer), 400],
  ['TRACE, which would repeat the key', ask('TRACE /platform/app-ticket', bearer), 405],
  ['DELETE', ask('DELETE /steam/lobby/status', bearer), 405],
  ['a method that is none', ask('BREW /health'), 400],
  ['CONNECT', ask('CONNECT other:443', bearer), 400],
  [
    'the key with its characters encoded in the path',
    ask(`GET /%63${key.slice(1)}/platform/app-ticket`),
    401,
  ],
  ['the key behind a dot segment', ask(`GET /x/../${key}/platform/app-ticket`), 200],
  ['the key as second segment', ask(`GET /x/${key}/platform/app-ticket`), 401],
  ['the key in the query', ask(`GET /platform/app-ticket?key=${key}`), 401],
  [
    'two Authorization headers, the right key first',
    ask('GET /platform/app-ticket', bearer, 'Authorization: Bearer x'),
    401,
  ],
  [
    'two Authorization headers, the right key last',
    ask('GET /platform/app-ticket', 'Authorization: Bearer x', bearer),
    401,
  ],
  ['the key under another scheme', ask('GET /platform/app-ticket', `Authorization: Basic ${key}`), 401],
  ['no Host', lines('GET /health HTTP/1.1'), 400],
  ['two Hosts', lines('GET /health HTTP/1.1', 'Host: x', 'Host: y'), 400],
  ['a Host that is none', lines('GET /health HTTP/1.1', 'Host: a b', 'Connection: close'), 400],
  ['HTTP/1.0 without Host, as probes send it', 'GET /health HTTP/1.0\r\n\r\n', 200],
  [
    'a Host in capital letters',
    lines('GET /health HTTP/1.1', 'Host: LOCALHOST:3001', 'Connection: close'),
    200,
  ],
  [
    'a Host that is an IPv4 address within IPv6',
    lines('GET /health HTTP/1.1', 'Host: [::ffff:127.0.0.1]', 'Connection: close'),
    200,
  ],
  ['an upgrade to a WebSocket', ask('GET /health', 'Upgrade: websocket', 'Connection: Upgrade'), 200],
  ['a target of 40,000 bytes', ask(`GET /${'x'.repeat(40_000)}`), 431],
  ['headers of 40,000 bytes', ask('GET /health', `X: ${'x'.repeat(40_000)}`), 431],
  ['a negative length', post('Content-Length: -1'), 400],
  ['two lengths', `${post('Content-Length: 1', 'Content-Length: 2')}{`, 400],
  ['a length and chunks', `${post('Content-Length: 1', 'Transfer-Encoding: chunked')}0\r\n\r\n`, 400],
  ['an expectation that is none', ask('GET /health', 'Expect: x'), 200],
  ['HTTP/2.0 in the form of HTTP/1.1', ask('GET /health').replace('1.1', '2.0'), 400],
  ['HTTP/0.9', 'GET /health\r\n\r\n', 400],
  ['a transfer coding after chunked', post('Transfer-Encoding: chunked, gzip'), 400],
  ['a header line that is folded', ask('GET /metrics', 'Authorization: Bearer', ` ${key}`), 400],
  ['a NUL in a header', ask('GET /health', 'X: a\x00b'), 400],
  ['a line feed alone in a header', ask('GET /health', 'X: a\nY: b'), 400],
  ['TLS', '\x16\x03\x01\x02\x00', 400],
  ['no HTTP', 'hello there\r\n\r\n', 400],
])('%s: %#', async (_, bytes, status) => {
  const { port } = await server()
  const answer = await exchange(port, bytes)
  expect(statusOf(answer)).toBe(status)
  if (status >= 400 && !bytes.startsWith('HEAD'))
    expect(JSON.parse(bodyOf(answer))).toEqual({ error: expect.any(String), code: expect.any(String) })
  if (status >= 400) expect(answer).not.toContain(key)
  expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200)
})

test.each([
  ['no HTTP', `${create}hello there\r\n\r\n`, [200, 400]],
  ['a body longer than announced', `${create}x\r\n\r\n`, [200, 400]],
  ['no Host', create + lines('GET /health HTTP/1.1'), [200, 400]],
  ['headers too large', `${create}GET /health HTTP/1.1\r\nX: ${'y'.repeat(40_000)}`, [200, 431]],
  ['CONNECT', create + lines('CONNECT other:443 HTTP/1.1', 'Host: x'), [200, 400]],
])('a lobby is answered whatever follows its request on the connection: %s', async (_, bytes, expected) => {
  const platform = fakePlatform()
  const { promise: made, resolve } = Promise.withResolvers<bigint>()
  platform.lobby = () => made
  const { port } = await server(key, {}, platform)
  const socket = await openSocket(port)
  const answers = everything(socket)
  socket.write(bytes)
  await eventually(() => platform.calls.length === 1)
  resolve(7n)
  expect(statuses(await answers)).toEqual(expected)
})

test.each([
  ['nothing at all', ''],
  ['headers that do not come in time', 'GET /health HTTP/1.1\r\n'],
  ['no HTTP', 'hello there\r\n\r\n'],
  ['garbage without end', 'hello there\r\n\r\n'.repeat(10_000)],
  ['no Host', lines('GET /health HTTP/1.1')],
  ['a last request', ask('GET /health')],
  [
    'one wrong key after the other',
    lines('GET /metrics HTTP/1.1', 'Host: x', 'Authorization: Bearer x').repeat(20),
  ],
])('a connection that is refused ends, although its peer does not close it: %s', async (_, bytes) => {
  const { port } = await server(key, { linger: 50, headersTimeout: 100 })
  const accepted = acceptedSockets()
  const socket = await openStubborn(port)
  socket.resume()
  socket.write(bytes)
  await eventually(() => expect(accepted.map(({ destroyed }) => destroyed)).toEqual([true]))
})

test('a body that breaks off is 400, and no lobby is made', async () => {
  const { port, platform } = await server()
  const socket = await openSocket(port)
  const answer = everything(socket)
  socket.end(`${post('Content-Length: 100')}{`)
  expect(statuses(await answer)).toEqual([400])
  expect(platform.calls).toEqual([])
})

test('a body whose chunks are malformed is 400, and the connection ends', async () => {
  const { port, platform } = await server()
  const answer = await exchange(port, `${post('Transfer-Encoding: chunked')}1\r\n{\r\nzz\r\n`)
  expect(statuses(answer)).toEqual([400])
  expect(JSON.parse(bodyOf(answer))).toMatchObject({ code: 'invalid_body' })
  expect(platform.calls).toEqual([])
})

test('answers that the client does not read end its connection', async () => {
  const { port } = await server(key, { writeTimeout: 200 })
  const accepted = acceptedSockets()
  const socket = await openStubborn(port)
  socket.pause()
  socket.write(lines('GET /metrics HTTP/1.1', 'Host: x', bearer).repeat(20_000))
  await eventually(() => expect(accepted.map(({ destroyed }) => destroyed)).toEqual([true]))
})

test('more connections than the limit: those without the key that were idle longest are closed, which is a warning in the log', async () => {
  const { port, lines: log } = await server(key, { maxConnections: 3 })
  const accepted = acceptedSockets()
  const game = await openSocket(port)
  const answered = new Promise((resolve) => game.once('data', resolve))
  game.write(lines('GET /metrics HTTP/1.1', 'Host: x', bearer))
  await answered
  for (let count = 0; count < 20; count += 1) await openStubborn(port)
  await eventually(() =>
    expect(accepted.map(({ destroyed }) => destroyed)).toEqual([
      false,
      ...Array(18).fill(true),
      false,
      false,
    ]),
  )
  expect(log.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      level: 'warn',
      msg: expect.stringContaining('Too many connections'),
      limit: 3,
    }),
  ])
})
