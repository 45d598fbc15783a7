import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect, onTestFinished, test } from 'vitest'
import { isNear } from '../../ticket/http/access.ts'
import {
  acceptedSockets,
  bodyOf,
  everything,
  exchange,
  openStubborn,
  statusOf,
} from '../runtime/node/raw-socket.ts'
import { eventually } from '../wait.ts'
import { fakePlatform, steamId } from './fake-platform.ts'
import { httpSetting, listening } from './http-setting.ts'

const key = 'canary-key.~_-0123456789'

test('with a key, callers send it as Bearer or as the first path segment of any route', async () => {
  const { call } = httpSetting(fakePlatform(), key)
  const bearer = (value: string) => ({ headers: { authorization: value } })
  for (const path of [
    '/platform/app-ticket',
    '/steam/lobby/status',
    '/game/validate-status',
    '/metrics',
    '/steam/refresh-token',
    '/steam/renew-token',
    '/game/validate',
    '/nowhere',
  ]) {
    const refused = await call(path)
    expect(refused.status, path).toBe(401)
    expect(await refused.json()).toMatchObject({ code: 'unauthorized' })
    const allowed = await call(path, bearer(`Bearer ${key}`), '203.0.113.9')
    expect([200, 404, 405, 410]).toContain(allowed.status)
    expect((await call(`/${key}${path}`, {}, '203.0.113.9')).status).toBe(allowed.status)
  }
  expect((await call('/platform/app-ticket', bearer(`bearer   ${key} `))).status).toBe(200)
  for (const wrong of [`Bearer ${key}x`, `Basic ${key}`, 'Bearer', key]) {
    expect((await call('/platform/app-ticket', bearer(wrong))).status).toBe(401)
  }
  expect((await call(`/${key}x/platform/app-ticket`)).status).toBe(401)
})

test('/health needs no key', async () => {
  const { call } = httpSetting(fakePlatform(), key)
  expect((await call('/health', {}, '203.0.113.9')).status).toBe(200)
  expect((await call(`/${key}/health`)).status).toBe(200)
})

test.each(['/steam/ready', '/platform/ready'])(
  '%s needs no key, and shows a caller without one neither user name nor id',
  async (path) => {
    const platform = fakePlatform()
    const { call } = httpSetting(platform, key)
    const stranger = await call(path, {}, '203.0.113.9')
    expect(stranger.status).toBe(200)
    expect(await stranger.json()).toEqual({ ready: true, account: 0, has_ticket: true })
    const known = await call(`/${key}${path}`, {}, '203.0.113.9')
    expect(await known.json()).toEqual({ ready: true, account: 0, steam_id: steamId, has_ticket: true })
    platform.set({ phase: 'login_needed', steamId: '76561198000000002' })
    const failed = await call(path, {}, '203.0.113.9')
    expect(failed.status).toBe(503)
    expect(await failed.json()).toMatchObject({ ready: false, code: 'not_logged_in' })
    expect((await call(`${path}?account=1`)).status).toBe(503)
  },
)

test('without a key only loopback and private-network callers are served, others get 403', async () => {
  const { call } = httpSetting(fakePlatform())
  for (const address of [
    '127.0.0.1',
    '::1',
    '::ffff:172.18.0.4',
    '10.1.2.3',
    '192.168.1.7',
    'fd12::9',
    'fe80::1%eth0',
  ]) {
    expect((await call('/platform/app-ticket', {}, address)).status, address).toBe(200)
  }
  for (const address of ['203.0.113.9', '::ffff:8.8.8.8', '172.32.0.1', '2001:db8::1', 'nonsense']) {
    const response = await call('/platform/app-ticket', {}, address)
    expect(response.status, address).toBe(403)
    expect(await response.json()).toMatchObject({ code: 'forbidden' })
  }
  expect(isNear(undefined)).toBe(false)
  expect((await call('/health', {}, '203.0.113.9')).status).toBe(200)
})

test('without a key a page in a browser is refused, on any network', async () => {
  const { call } = httpSetting(fakePlatform())
  expect((await call('/platform/app-ticket', { headers: { origin: 'http://evil.example' } })).status).toBe(
    403,
  )
})

test.each([
  [undefined, ''],
  ['a-key-of-sixteen-and-more', '/a-key-of-sixteen-and-more'],
])('a base URL that ends with a slash gets the same answers, key %s', async (key, prefix) => {
  const { call } = httpSetting(fakePlatform(), key)
  expect((await call(`${prefix}//platform/app-ticket`)).status).toBe(200)
  expect((await call(`/${prefix}/health`)).status).toBe(200)
})

test.each([
  [undefined, 200],
  ['ticket:3001', 200],
  ['localhost', 200],
  ['LOCALHOST:3001', 200],
  ['ticket.localhost:3001', 200],
  ['127.0.0.1:3001', 200],
  ['172.18.0.4', 200],
  ['[::1]:3001', 200],
  ['[::ffff:127.0.0.1]:3001', 200],
  ['evil.example', 403],
  ['evil.example:3001', 403],
  ['127.0.0.1.evil.example', 403],
  ['localhost.evil.example:3001', 403],
  ['ticket.', 403],
])('without a key, a request for the host %s is answered with %i (DNS rebinding)', async (host, status) => {
  const { call } = httpSetting(fakePlatform())
  const response = await call('/platform/app-ticket', host === undefined ? {} : { headers: { host } })
  expect(response.status).toBe(status)
  if (status === 403)
    expect(await response.json()).toMatchObject({ code: 'forbidden', error: expect.stringContaining('host') })
})

test('with a key, every host name is served, and /health under every name without one', async () => {
  const host = { host: 'ticket.example' }
  const { call } = httpSetting(fakePlatform(), key)
  expect((await call(`/${key}/platform/app-ticket`, { headers: host })).status).toBe(200)
  expect((await httpSetting(fakePlatform()).call('/health', { headers: host })).status).toBe(200)
})

const wrongKeys = [
  ['as Bearer', '/platform/app-ticket', { headers: { authorization: 'Bearer wrong' } }],
  ['as Bearer, on a route that needs no key', '/health', { headers: { authorization: 'Bearer wrong' } }],
  ['as first segment of the path', '/wrong-key-of-sixteen-and-more/platform/app-ticket', {}],
  ['as first segment of the path of a route that needs no key', '/wrong-key-of-sixteen-and-more/health', {}],
] as const
test.each(wrongKeys)(
  'an eleventh wrong key from an address within a minute is 429 with Retry-After: %s',
  async (_, path, init) => {
    const { call, pass } = httpSetting(fakePlatform(), key)
    const attempt = (address = '203.0.113.9') => call(path, init, address)
    for (let count = 0; count < 10; count += 1) expect((await attempt()).status).not.toBe(429)
    const limited = await attempt()
    expect(limited.status).toBe(429)
    expect(await limited.json()).toMatchObject({ code: 'rate_limited' })
    expect(limited.headers.get('retry-after')).toBe('6')
    expect((await attempt('203.0.113.10')).status).not.toBe(429)
    pass(6000)
    expect((await attempt()).status).not.toBe(429)
    expect((await attempt()).status).toBe(429)
  },
)

test('wrong keys are a warning in the log at most once a minute, with address and count, without the key', async () => {
  const { call, lines, pass } = httpSetting(fakePlatform(), key)
  const attempt = () =>
    call('/metrics', { headers: { authorization: 'Bearer canary-wrong' } }, '::ffff:203.0.113.9')
  for (let count = 0; count < 1000; count += 1) await attempt()
  pass(60_000)
  await attempt()
  expect(lines.map((line) => JSON.parse(line))).toEqual(
    [1, 1000].map((count) =>
      expect.objectContaining({
        level: 'warn',
        msg: 'A caller sends wrong keys',
        address: '203.0.113.9',
        count,
      }),
    ),
  )
  expect(lines.join()).not.toContain('canary')
})

test('a request without a key, or for an unknown page, is not a wrong key', async () => {
  const { call, lines } = httpSetting(fakePlatform(), key)
  for (let count = 0; count < 20; count += 1) {
    expect((await call('/platform/app-ticket')).status).toBe(401)
    expect((await call('/favicon.ico')).status).toBe(401)
  }
  expect(lines).toEqual([])
})

test.each([
  ['with a key', key, '/metrics', 401],
  ['without one', undefined, '/metrics', 403],
  ['on a route that needs no key', key, '/health', 200],
] as const)(
  'refused callers have 600 requests a minute and address, %s',
  async (_, ticketKey, path, status) => {
    const { call, pass } = httpSetting(fakePlatform(), ticketKey)
    const stranger = () => call(path, {}, '203.0.113.9')
    for (let count = 0; count < 600; count += 1) expect((await stranger()).status).toBe(status)
    expect((await stranger()).status).toBe(429)
    // Health checks and the rest are counted separately.
    expect((await call(path === '/health' ? '/metrics' : '/health', {}, '203.0.113.9')).status).not.toBe(429)
    pass(100)
    expect((await stranger()).status).toBe(status)
  },
)

test('accepted callers have no limit', async () => {
  const { call } = httpSetting(fakePlatform())
  for (let count = 0; count < 2000; count += 1) expect((await call('/metrics')).status).toBe(200)
})

const lobby = '{"game_server_steam_id":1,"protocol_version":"1"}'

async function server(limits = {}) {
  const setting = httpSetting(fakePlatform(), key)
  const { port, close } = await listening(setting, limits)
  onTestFinished(close)
  return { ...setting, port }
}

const lines = (...given: readonly string[]) => `${given.join('\r\n')}\r\n\r\n`
/** A request that ends its connection. */
const ask = (first: string, ...headers: readonly string[]) =>
  lines(`${first} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers)
const bearer = `Authorization: Bearer ${key}`
const create =
  lines(
    'POST /steam/lobby/create HTTP/1.1',
    'Host: x',
    'Content-Type: application/json',
    bearer,
    `Content-Length: ${lobby.length}`,
  ) + lobby
const statuses = (answers: string) =>
  Array.from(answers.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => Number(status))

const wrong = ask('GET /platform/app-ticket', 'Authorization: Bearer wrong')

test('new connections of an address that continues with wrong keys are refused, and the right key and /health are served', async () => {
  const { port, lines: log } = await server()
  const answers = []
  for (let count = 0; count < 30; count += 1) answers.push(statusOf(await exchange(port, wrong)))
  expect(answers.slice(0, 11)).toEqual([...Array(10).fill(401), 429])
  expect(answers.at(-1)).toBe(429)
  const limited = await exchange(port, wrong)
  expect(JSON.parse(bodyOf(limited))).toMatchObject({ code: 'rate_limited' })
  expect(limited).toMatch(/^retry-after: \d+\r$/im)
  expect(statusOf(await exchange(port, ask('GET /platform/app-ticket', bearer)))).toBe(200)
  expect(statusOf(await exchange(port, ask(`GET //${key}/platform/app-ticket`)))).toBe(200)
  expect(statuses(await exchange(port, create + ask('GET /metrics', bearer)))).toEqual([200, 200])
  expect(statusOf(await exchange(port, ask('GET /health')))).toBe(200)
  expect(log.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'warn', msg: 'A caller sends wrong keys', count: 1 }),
  ])
})

/** Sends wrong keys until their address has used up its limit. */
async function spend(port: number): Promise<void> {
  for (let count = 0; count < 11; count += 1) await exchange(port, wrong)
}

test('the right key is served in a target that is a whole address, too, after any number of wrong keys from its address', async () => {
  const { port } = await server()
  await spend(port)
  expect(statusOf(await exchange(port, ask(`GET http://ticket:3001/${key}/platform/app-ticket`)))).toBe(200)
  expect(statusOf(await exchange(port, ask('GET http://ticket:3001/wrong/platform/app-ticket')))).toBe(401)
})

test('connections of an address with too many wrong keys count like any others, also silent ones', async () => {
  const { port } = await server({ maxConnections: 3 })
  await spend(port)
  const accepted = acceptedSockets()
  for (let count = 0; count < 20; count += 1) await openStubborn(port)
  await eventually(() => expect(accepted.filter(({ destroyed }) => !destroyed)).toHaveLength(3))
})

test("a refused connection's bytes after its first request are not parsed", async () => {
  const { port } = await server()
  await spend(port)
  let parsed = 0
  const started = () => {
    parsed += 1
  }
  subscribe('http.server.request.start', started)
  onTestFinished(() => void unsubscribe('http.server.request.start', started))
  const socket = await openStubborn(port)
  const answers = everything(socket)
  socket.write(lines('GET /metrics HTTP/1.1', 'Host: x', 'Authorization: Bearer x').repeat(500))
  expect(statuses(await answers)).toEqual([429])
  expect(parsed).toBe(1)
})

test('an invalid request counts as refused: after 600 in a minute it is 429, and the right key is served', async () => {
  const { port, gate } = await server()
  const malformed = { status: 400, body: '' }
  for (let count = 0; count < 599; count += 1) expect(gate.malformed('127.0.0.1', malformed)).toBe(malformed)
  expect(statusOf(await exchange(port, 'hello there\r\n\r\n'))).toBe(400)
  for (const bytes of ['hello there\r\n\r\n', lines('GET /health HTTP/1.1'), ask('CONNECT other:443')]) {
    const limited = await exchange(port, bytes)
    expect(statusOf(limited)).toBe(429)
    expect(JSON.parse(bodyOf(limited))).toMatchObject({ code: 'rate_limited' })
  }
  expect(statusOf(await exchange(port, ask('GET /metrics', bearer)))).toBe(200)
  // Health checks are counted separately.
  expect(statusOf(await exchange(port, ask('GET /health')))).toBe(200)
})

test.each([
  ['no HTTP', 'hello there\r\n\r\n', 400],
  ['no Host', lines('GET /health HTTP/1.1'), 400],
  ['a Host that is none', lines('GET /health HTTP/1.1', 'Host: a b', 'Connection: close'), 400],
  ['CONNECT', ask('CONNECT other:443'), 400],
  ['headers that are too large', ask('GET /health', `X: ${'x'.repeat(40_000)}`), 431],
  ['headers that do not come in time', 'GET /health HTTP/1.1\r\n', 408],
])(
  'a request that is refused before the app counts in ticket_http_requests_total: %s',
  async (_, bytes, status) => {
    const { port, meter } = await server({ headersTimeout: 100 })
    expect(statusOf(await exchange(port, bytes))).toBe(status)
    expect(await meter.text()).toContain(`ticket_http_requests_total{path="other",status="${status}"} 1`)
  },
)

test('a request of an address with too many wrong keys counts in ticket_http_requests_total by its path', async () => {
  const { port, meter } = await server()
  await spend(port)
  await exchange(port, wrong)
  await exchange(port, ask('GET /wp-login.php', 'Authorization: Bearer wrong'))
  const text = await meter.text()
  expect(text).toContain('ticket_http_requests_total{path="/platform/app-ticket",status="429"} 2')
  expect(text).toContain('ticket_http_requests_total{path="other",status="429"} 1')
})
