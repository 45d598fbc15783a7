import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import { systemClock } from '../../lib/clock.ts'
import { logOn } from '../../ticket/session/logon.ts'
import { requestTicket } from '../../ticket/session/platform-requests.ts'
import { defaultKnobs } from '../platform/knobs.ts'
import { eventually } from '../wait.ts'
import { makeSetting } from './setting.ts'

const rejections: unknown[] = []
const noteRejection = (reason: unknown) => void rejections.push(reason)
const setting = await makeSetting()
process.on('unhandledRejection', noteRejection)
afterAll(async () => {
  process.off('unhandledRejection', noteRejection)
  await setting.close()
})
beforeEach(() => void Object.assign(setting.platform.knobs, defaultKnobs()))
afterEach(() => expect(rejections).toEqual([]))

const on = (refreshToken: string, timeout = 20_000, signal = new AbortController().signal) =>
  logOn({ refreshToken, proxy: setting.platform.proxyUrl, timeout, clock: systemClock, signal })

test('the unmodified Steam library logs on with only a refresh token', async () => {
  const connection = await on(setting.platform.token(setting.account))
  expect(connection.steamId).toBe(setting.account.steamId)
  expect(Math.abs(connection.clockAhead)).toBeLessThan(2000)
  await connection.close()
  await eventually(() => setting.platform.connections.size === 0)
})

test('a connection refused before logon, which the library never reports, ends by a time limit, and the next attempt works', async () => {
  const token = setting.platform.token(setting.account)
  setting.platform.knobs.refuseSockets = true
  await expect(on(token, 400)).rejects.toMatchObject({
    kind: 'unreachable',
    message: expect.stringMatching(/did not answer/),
  })
  setting.platform.knobs.refuseSockets = false
  await (await on(token)).close()
})

test.each([
  ['AccessDenied', 'rejected', undefined],
  ['InvalidPassword', 'rejected', undefined],
  ['RateLimitExceeded', 'rate_limited', undefined],
  ['LogonSessionReplaced', 'unreachable', undefined],
  // The library retries these until the watchdog ends it.
  ['TryAnotherCM', 'unreachable', 400],
  ['ServiceUnavailable', 'unreachable', 400],
] as const)('a logon answered %s is %s', async (result, kind, within) => {
  setting.platform.knobs.logonResult = result
  await expect(on(setting.platform.token(setting.account), within)).rejects.toMatchObject({ kind })
})

test('an expired and a revoked token are rejected', async () => {
  await expect(on(setting.platform.token(setting.account, -1))).rejects.toMatchObject({
    kind: 'rejected',
    result: 'Expired',
  })
  const revoked = setting.platform.token(setting.account)
  setting.platform.book.revoke(revoked)
  await expect(on(revoked)).rejects.toMatchObject({ kind: 'rejected', result: 'AccessDenied' })
})

test('a cut socket is reported as lost at once, and the library does not reconnect', async () => {
  const connection = await on(setting.platform.token(setting.account))
  const logons = setting.platform.count('ClientLogon')
  // Later actions of the library are timers, and this test runs them.
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] })
  try {
    setting.platform.dropSockets()
    expect((await connection.lost).kind).toBe('unreachable')
    await vi.advanceTimersByTimeAsync(600_000)
  } finally {
    vi.useRealTimers()
  }
  await (await on(setting.platform.token(setting.account))).close()
  expect(setting.platform.count('ClientLogon')).toBe(logons + 1)
})

test('the login id is unique, so a second process does not end the session of the first', async () => {
  const token = setting.platform.token(setting.account)
  const [first, second] = await Promise.all([on(token), on(token)])
  let lost = false
  first.lost.then(() => {
    lost = true
  })
  await requestTicket(second.client, 413150)
  await requestTicket(first.client, 413150)
  expect(lost).toBe(false)
  const ids = [...setting.platform.connections].map(({ logonId }) => logonId)
  expect(new Set(ids).size).toBe(2)
  expect(ids).not.toContain(0)
  await Promise.all([first.close(), second.close()])
})
