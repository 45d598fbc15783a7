import * as fs from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Clock, systemClock } from '../../ticket/clock.ts'
import type { PlatformPort } from '../../ticket/platform-port.ts'
import { disk, type FileSystem } from '../../ticket/session/file-system.ts'
import { type KeeperPace, keepSession } from '../../ticket/session/keeper.ts'
import { type SessionStore, sessionStore } from '../../ticket/session/session-file.ts'
import { defaultKnobs } from '../platform/knobs.ts'
import { junimo, makeSetting, type Setting, until } from './setting.ts'

const pace: KeeperPace = { first: 20, longest: 80, afterRateLimit: 60_000, lookForLogin: 20 }
let setting: Setting
const kept: PlatformPort[] = []
beforeAll(async () => {
  setting = await makeSetting()
})
afterAll(() => setting.close())
beforeEach(() => {
  Object.assign(setting.platform.knobs, defaultKnobs())
  setting.lines.length = 0
})
afterEach(async () => {
  await Promise.all(kept.splice(0).map((platform) => platform.close()))
})

interface Options {
  readonly environment?: Record<string, string>
  /** Days that the saved token is good for; null for no saved session. */
  readonly days?: number | null
  readonly clock?: Clock
  readonly fs?: FileSystem
}

/** A service's session with a saved token. */
async function keep({ environment = {}, days = 200, clock = systemClock, fs: system = disk }: Options = {}) {
  const config = setting.config({ PLATFORM_USERNAME: junimo.name, ...environment })
  const token = setting.platform.token(setting.account, days ?? 200)
  if (days !== null)
    await sessionStore(config.sessionDir).save({
      username: junimo.name,
      refreshToken: token,
      guardData: null,
    })
  const store = sessionStore(config.sessionDir, system)
  const session = start(config, store, clock)
  const savedToken = async () => (await store.load(junimo.name)).session?.refreshToken
  return { session, config, token, store, savedToken }
}

function start(
  config: Parameters<Setting['context']>[0],
  store: SessionStore,
  clock: Clock = systemClock,
): PlatformPort {
  const session = keepSession(
    { ...setting.context(config, { store, clock }), logonPatience: 300 },
    null,
    pace,
  )
  kept.push(session)
  return session
}

const on = (session: PlatformPort) => until(() => session.state().phase === 'logged_on')
const messages = () => setting.lines.map((line): string => JSON.parse(line).msg)

test('serve logs on in the background with the saved session', async () => {
  const { session } = await keep()
  expect(session.state().phase).not.toBe('logged_on')
  await on(session)
  expect(session.state()).toMatchObject({ steamId: junimo.steamId, session: 1, reason: null })
  await until(() => session.state().tokenDaysLeft === 199)
})

test('a lost session comes back, however it was lost', async () => {
  const { session } = await keep()
  await on(session)
  setting.platform.dropSockets()
  await until(() => session.state().session === 2)
  for (const [round, result] of [
    'LogonSessionReplaced',
    'LoggedInElsewhere',
    'ServiceUnavailable',
  ].entries()) {
    setting.platform.logOffAll(result)
    await until(() => session.state().session === round + 3)
  }
})

test('the platform down for long and back: no restart needed, no log flood', async () => {
  const { session } = await keep()
  await on(session)
  setting.platform.knobs.unreachable = true
  setting.platform.dropSockets()
  await until(() => messages().length >= 5)
  const { phase, reason } = session.state()
  expect(['waiting', 'logging_on']).toContain(phase)
  expect(reason).toBeTruthy()
  await expect(session.requestTicket()).rejects.toMatchObject({ kind: 'not_logged_in' })
  setting.platform.knobs.unreachable = false
  await on(session)
  // One line for each try, and tries are up to five minutes apart.
  const tries = setting.lines.filter((line) => line.includes('Next try in')).length
  expect(setting.lines.length).toBeLessThanOrEqual(tries + 3)
})

test('waits grow from the first to the longest, with jitter', async () => {
  const sleeps: number[] = []
  const clock: Clock = {
    ...systemClock,
    sleep: (milliseconds, signal) => {
      sleeps.push(milliseconds)
      return systemClock.sleep(Math.min(milliseconds, 5), signal)
    },
  }
  setting.platform.knobs.logonResult = 'LogonSessionReplaced'
  await keep({ clock })
  await until(() => sleeps.length >= 5)
  for (const [round, most] of [20, 40, 80, 80, 80].entries()) {
    expect(sleeps[round]).toBeGreaterThanOrEqual(most / 2)
    expect(sleeps[round]).toBeLessThanOrEqual(most)
  }
})

test('after a rate limit it waits as long as the platform wants', async () => {
  setting.platform.knobs.logonResult = 'RateLimitExceeded'
  const { session } = await keep()
  await until(() => session.state().phase === 'waiting')
  const { retryAt, reason } = session.state()
  expect((retryAt ?? 0) - Date.now()).toBeGreaterThan(55_000)
  expect(reason).toContain('RateLimitExceeded')
})

test('serve never prompts: without a way to sign in it says so and waits for someone to sign in', async () => {
  const { session, store } = await keep({ days: null })
  await until(() => session.state().phase === 'login_needed')
  expect(messages().join()).toContain('Run the login command')
  await store.save({
    username: junimo.name,
    refreshToken: setting.platform.token(setting.account),
    guardData: null,
  })
  await on(session)
})

test('a token that expired needs a login, and a new session is picked up without a restart', async () => {
  const { session, store } = await keep({ days: -1 })
  await until(() => session.state().phase === 'login_needed')
  expect(session.state().reason).toContain('Expired')
  const logons = setting.platform.count('ClientLogon')
  await new Promise((resolve) => setTimeout(resolve, 100))
  // It is not tried again: each try would count against a rate limit.
  expect(setting.platform.count('ClientLogon')).toBe(logons)
  await store.save({
    username: junimo.name,
    refreshToken: setting.platform.token(setting.account),
    guardData: null,
  })
  await on(session)
})

test('the token is renewed when it nears its end, and stored before it is used', async () => {
  const { session, token, savedToken } = await keep({ days: 20 })
  await on(session)
  await until(() => session.state().tokenDaysLeft === 199)
  const renewed = await savedToken()
  expect(renewed).not.toBe(token)
  expect(setting.platform.book.tokens.has(token)).toBe(false)
  setting.platform.dropSockets()
  await until(() => session.state().session === 2)
})

test('the token is looked after daily', async () => {
  let now = Date.now()
  let wake: (() => void) | null = null
  const clock: Clock = {
    ...systemClock,
    now: () => now,
    sleep: (milliseconds, signal) =>
      milliseconds === 86_400_000
        ? new Promise((resolve, reject) => {
            wake = resolve
            signal?.addEventListener('abort', () => reject(signal.reason))
          })
        : systemClock.sleep(milliseconds, signal),
  }
  const { session } = await keep({ days: 32, clock })
  await until(() => wake !== null)
  expect(session.state().tokenDaysLeft).toBe(31)
  now += 86_400_000
  const sleeping: unknown = wake
  if (typeof sleeping === 'function') sleeping()
  await until(() => (session.state().tokenDaysLeft ?? 0) >= 198)
})

test('a platform that gives no new token leaves the old one in use, with a warning from 14 days on', async () => {
  setting.platform.knobs.renewal = false
  const { session, token, savedToken } = await keep({ days: 14 })
  await until(() => messages().some((message) => message.includes('The token ends in 13 days')))
  expect(session.state().tokenDaysLeft).toBe(13)
  expect(await savedToken()).toBe(token)
})

test('a token from the environment is never renewed, only warned about', async () => {
  const token = setting.platform.token(setting.account, 10)
  const { session } = await keep({ days: null, environment: { PLATFORM_REFRESH_TOKEN: token } })
  await until(() => messages().some((message) => message.includes('Set a new PLATFORM_REFRESH_TOKEN')))
  expect(setting.platform.book.tokens.has(token)).toBe(true)
  setting.platform.dropSockets()
  await until(() => session.state().session === 2)
})

/** A disk on which nothing new can be written until it is mended: writes to /dev/full end with ENOSPC. */
function fullDisk() {
  const state = { full: true }
  const system: FileSystem = {
    ...disk,
    open: (path, flags, mode) =>
      state.full && flags === 'wx' ? fs.open('/dev/full', 'w') : fs.open(path, flags, mode),
  }
  return { state, system }
}

test('on a full disk no new token is asked for: the old one still works, and the operator is told', async () => {
  const { system } = fullDisk()
  const { session, token, savedToken } = await keep({ days: 20, fs: system })
  await until(() => messages().some((message) => message.includes('The token is not renewed')))
  expect(await savedToken()).toBe(token)
  expect(setting.platform.book.tokens.has(token)).toBe(true)
  expect(session.state().tokenDaysLeft).toBe(19)
  setting.platform.dropSockets()
  await until(() => session.state().session === 2)
})

test('a session directory that cannot be written does the same', async () => {
  const { session, token } = await keep({
    days: 20,
    fs: {
      ...disk,
      open: (path, flags, mode) =>
        flags === 'wx'
          ? Promise.reject(Object.assign(new Error('read-only'), { code: 'EROFS' }))
          : fs.open(path, flags, mode),
    },
  })
  await until(() => messages().some((message) => message.includes('The token is not renewed')))
  expect(setting.platform.book.tokens.has(token)).toBe(true)
  await session.requestTicket()
})

test('a renewed token that cannot be put in place is kept in memory, and saved as soon as that works', async () => {
  let broken = true
  const system: FileSystem = {
    ...disk,
    rename: (from, to) =>
      broken ? Promise.reject(Object.assign(new Error('gone'), { code: 'EIO' })) : fs.rename(from, to),
  }
  const clock: Clock = {
    ...systemClock,
    sleep: (milliseconds, signal) => systemClock.sleep(milliseconds === 60_000 ? 200 : milliseconds, signal),
  }
  const { session, token, savedToken } = await keep({ days: 20, fs: system, clock })
  await until(() => messages().some((message) => message.includes('kept in memory')))
  expect(await savedToken()).toBe(token)
  // The old token is gone by now; the one in memory is what brings the session back.
  setting.platform.dropSockets()
  await until(() => session.state().session === 2)
  broken = false
  await until(async () => (await savedToken()) !== token)
  expect(messages()).toContain('The session is saved now')
})

test('two processes on one session file: the one that did not renew takes the new token from the file', async () => {
  const { session, config, store } = await keep({ days: 20 })
  await on(session)
  await until(() => session.state().tokenDaysLeft === 199)
  const second = start(config, store)
  await on(second)
  const renewed = setting.platform.token(setting.account)
  const old = (await store.load(junimo.name)).session
  if (!old) throw new Error('nothing was saved')
  setting.platform.book.revoke(old.refreshToken)
  await store.save({ ...old, refreshToken: renewed })
  setting.platform.dropSockets()
  await until(() => session.state().session === 2 && second.state().session === 2)
})

test.each([-365, 365])('a clock wrong by %i days neither locks out nor renews a good token', async (days) => {
  const clock: Clock = { ...systemClock, now: () => Date.now() + days * 86_400_000 }
  const { session, token, savedToken } = await keep({ clock })
  await on(session)
  // The platform tells its time in whole seconds, so the day may be either.
  await until(() => [199, 200].includes(session.state().tokenDaysLeft ?? 0))
  expect(await savedToken()).toBe(token)
  expect(setting.lines.join()).toContain('clock')
})

test('a password from the environment signs in without asking, once it is needed', async () => {
  const { session, savedToken } = await keep({
    days: null,
    environment: { PLATFORM_PASSWORD: junimo.password },
  })
  await on(session)
  expect(await savedToken()).toBeTruthy()
})

test('closing in mid-login ends at once', async () => {
  setting.platform.knobs.logonDelay = 60_000
  const { session } = await keep()
  await until(() => setting.platform.count('ClientLogon') > 0)
  const before = Date.now()
  await session.close()
  expect(Date.now() - before).toBeLessThan(1500)
})

test('the platform library leaves no file of its own', async () => {
  const { session, config } = await keep()
  await on(session)
  expect(await fs.readdir(config.sessionDir)).toEqual(['session-junimo.json'])
  expect(await fs.readdir(config.gameDir)).toEqual([])
})
