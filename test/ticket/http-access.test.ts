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

test('without a key a page in a browser is not served, on whatever network it runs', async () => {
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
