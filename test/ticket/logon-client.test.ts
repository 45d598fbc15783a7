/** A logon's use of the client of the Steam library, which the test drives. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type LogonOptions, logOn } from '../../ticket/session/logon.ts'
import { makeToken } from '../platform/accounts.ts'
import { asClient, fakeClient } from './fake-client.ts'
import { steamId, stillClock } from './fake-platform.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const token = makeToken({ sub: '76561198000000009', aud: ['client', 'derive'], exp: 2 ** 31, iat: 0 })

function logon(given: Partial<LogonOptions> = {}) {
  const client = fakeClient()
  client.steamID = null
  const clock = stillClock()
  const stop = new AbortController()
  const made: object[] = []
  const settled = logOn(
    { refreshToken: token, proxy: undefined, timeout: 30_000, clock, signal: stop.signal, ...given },
    () => ({
      createClient(options) {
        made.push(options)
        return asClient(client)
      },
      resultName: (result) => ({ 5: 'InvalidPassword', 6: 'LoggedInElsewhere' })[result] ?? 'Fail',
    }),
  )
  settled.catch(() => undefined)
  const on = async (details = {}) => {
    client.steamID = { getSteamID64: () => steamId }
    client.emit('loggedOn', details)
    return settled
  }
  return { client, clock, stop, made, settled, on }
}

test.each([undefined, 'http://proxy:3128'])(
  'the client writes no files, never logs on automatically, and uses the proxy %s',
  (proxy) => {
    const { made, client } = logon({ proxy })
    expect(made).toEqual([
      {
        dataDirectory: null,
        autoRelogin: false,
        enablePicsCache: false,
        renewRefreshTokens: false,
        protocol: 2,
        ...(proxy !== undefined && { httpProxy: proxy }),
      },
    ])
    expect(client.logons).toEqual([{ refreshToken: token, logonID: expect.any(Number) }])
  },
)

test('a token that the library cannot use is refused before a client is made', async () => {
  const { settled, made } = logon({ refreshToken: 'nonsense' })
  await expect(settled).rejects.toMatchObject({
    kind: 'rejected',
    message: 'the token cannot be used: it is not a token',
  })
  expect(made).toEqual([])
})

test('a logon that ended before its start makes no client', async () => {
  const { settled, made } = logon({ signal: AbortSignal.abort() })
  await expect(settled).rejects.toMatchObject({ name: 'AbortError' })
  expect(made).toEqual([])
})

test('the account is the one that Steam names, or the one in the token', async () => {
  const { on } = logon()
  expect((await on()).steamId).toBe(steamId)
  const other = logon()
  other.client.emit('loggedOn', {})
  expect((await other.settled).steamId).toBe('76561198000000009')
})

test('an error of the client fails the logon, and the client is logged off', async () => {
  const { client, settled } = logon()
  client.emit('error', Object.assign(new Error('InvalidPassword'), { eresult: 5 }))
  await expect(settled).rejects.toMatchObject({ kind: 'rejected', result: 'InvalidPassword' })
  expect(client.logOffs).toBe(1)
  // A late error of a discarded client would end the process without a listener.
  client.emit('error', new Error('late'))
})

test('a logon without an answer ends after its time, in seconds in its reason', async () => {
  const { settled, client } = logon()
  await vi.advanceTimersByTimeAsync(29_999)
  expect(client.logOffs).toBe(0)
  await vi.advanceTimersByTimeAsync(1)
  await expect(settled).rejects.toMatchObject({
    kind: 'unreachable',
    message: 'Steam did not answer within 30 s',
  })
  expect(client.logOffs).toBe(1)
})

test('an abort ends a logon with its reason, and has no listener after the logon', async () => {
  const { stop, settled, client } = logon()
  stop.abort(new Error('stopped'))
  await expect(settled).rejects.toThrow('stopped')
  expect(client.logOffs).toBe(1)
  const other = logon()
  const removed = vi.spyOn(other.stop.signal, 'removeEventListener')
  await other.on()
  expect(removed).toHaveBeenCalledWith('abort', expect.any(Function))
})

test.each(['error', 'disconnected'])("a session ends with the client's first reason: %s", async (event) => {
  const { client, on } = logon()
  const { ended, lost } = await on()
  expect(ended.aborted).toBe(false)
  client.emit(event, event === 'error' ? { eresult: 6 } : 6)
  client.emit('disconnected', 3)
  const reason = await lost
  expect(reason).toMatchObject({ kind: 'unreachable', result: 'LoggedInElsewhere' })
  expect(ended.reason).toBe(reason)
})

test('close logs off and waits until Steam has ended the session, at most 1 s', async () => {
  for (const answers of [true, false]) {
    const { client, on } = logon()
    const session = await on()
    let isClosed = false
    const closed = session.close().then(() => {
      isClosed = true
    })
    expect(client.logOffs).toBe(1)
    expect(await session.lost).toMatchObject({ kind: 'unreachable', message: 'closed' })
    await vi.advanceTimersByTimeAsync(999)
    expect(isClosed).toBe(false)
    if (answers) client.emit('disconnected', 1)
    else await vi.advanceTimersByTimeAsync(1)
    await closed
  }
})

test('close of a session that Steam has already ended waits for nothing', async () => {
  const { client, on } = logon()
  const session = await on()
  client.emit('disconnected', 6)
  await session.close()
  expect(client.logOffs).toBe(1)
  const failed = logon()
  failed.client.emit('error', { eresult: 5 })
  await expect(failed.settled).rejects.toThrow()
  expect(vi.getTimerCount()).toBe(0)
})

test.each([
  [60_000, 0],
  [61_000, 61_000],
  [-60_000, 0],
  [-61_000, -61_000],
])(
  "Steam's clock, %i ms ahead, counts as %i ms ahead, after any later change of the local clock",
  async (ahead, counted) => {
    const { clock, on } = logon()
    await clock.advance(5000)
    const session = await on({ rtime32_server_time: (clock.now() + ahead) / 1000 })
    expect(session.clockAhead).toBe(counted)
    const began = clock.now() + counted
    expect(session.steamNow()).toBe(began)
    await clock.advance(7000)
    clock.set(0)
    expect(session.steamNow()).toBe(began + 7000)
  },
)

test.each([{}, { rtime32_server_time: 0 }, { rtime32_server_time: null }])(
  "without a time from Steam (%j) the local clock counts as Steam's",
  async (details) => {
    const { clock, on } = logon()
    const session = await on(details)
    expect(session.clockAhead).toBe(0)
    expect(session.steamNow()).toBe(clock.now())
  },
)
