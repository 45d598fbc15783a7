import { expect, test } from 'vitest'
import { isNear } from '../../ticket/http/access.ts'
import { fakePlatform, steamId } from './fake-platform.ts'
import { httpSetting } from './http-setting.ts'

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
    '/nowhere',
  ]) {
    const refused = await call(path)
    expect(refused.status, path).toBe(401)
    expect(await refused.json()).toMatchObject({ code: 'unauthorized' })
    const allowed = await call(path, bearer(`Bearer ${key}`), '203.0.113.9')
    expect([200, 404, 410]).toContain(allowed.status)
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

test('the right key is served, and /health without one, after any number of wrong keys from their address', async () => {
  const { call } = httpSetting(fakePlatform(), key)
  const from = '203.0.113.9'
  const wrong = { headers: { authorization: 'Bearer wrong' } }
  for (let count = 0; count < 1000; count += 1) await call('/platform/app-ticket', wrong, from)
  expect((await call('/platform/app-ticket', wrong, from)).status).toBe(429)
  for (let count = 0; count < 1000; count += 1)
    expect((await call(`/${key}/platform/app-ticket`, {}, from)).status).toBe(200)
  expect((await call('/health', {}, from)).status).toBe(200)
})

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
