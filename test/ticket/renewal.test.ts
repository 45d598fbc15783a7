import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { disk, sessionStore } from '../../ticket/session/session-file.ts'
import { eventually } from '../wait.ts'
import { on, sharedSessions } from './kept-session.ts'
import { junimo } from './setting.ts'

const { setting, keep, messages, start } = await sharedSessions()

test('the token is renewed near its end, and stored before it is used', async () => {
  const { session, token, savedToken } = await keep({ days: 20 })
  await on(session)
  await eventually(() => session.state().tokenDaysLeft === 199)
  const renewed = await savedToken()
  expect(renewed).not.toBe(token)
  expect(setting.platform.book.tokens.has(token)).toBe(false)
  setting.platform.dropSockets()
  await eventually(() => session.state().session === 2)
})

/** A clock whose days the test advances. */
function daysOnDemand() {
  let now = 0
  let started = Date.now()
  let wake: (() => void) | null = null
  const clock: Clock = {
    ...systemClock,
    now: () => started + now,
    monotonic: () => now,
    after(milliseconds, run) {
      if (milliseconds !== 86_400_000) return systemClock.after(milliseconds, run)
      wake = run
      return () => undefined
    },
  }
  return {
    clock,
    asleep: () => eventually(() => wake !== null),
    set(milliseconds: number) {
      started += milliseconds
    },
    nextDay() {
      now += 86_400_000
      wake?.()
      wake = null
    },
  }
}

test.each([-365, 365])(
  'setting the clock by %i days during a session changes neither the days of the token nor the time of its check',
  async (days) => {
    const { clock, asleep, nextDay, set } = daysOnDemand()
    const { session, token, savedToken } = await keep({ days: 100, clock })
    await asleep()
    set(days * 86_400_000)
    nextDay()
    await asleep()
    expect(session.state().tokenDaysLeft).toBe(98)
    expect(await savedToken()).toBe(token)
  },
)

test('with a read-only session directory no new token is requested either', async () => {
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
  await eventually(() => messages().some((message) => message.includes('The token is not renewed')))
  expect(setting.platform.book.tokens.has(token)).toBe(true)
  await session.requestTicket()
})

/** Saving an unsaved token is tried again every minute. */
const shortMinutes: Clock = {
  ...systemClock,
  after: (milliseconds, run) => systemClock.after(milliseconds === 60_000 ? 200 : milliseconds, run),
}

test('the session of the existing sidecar logs on from a read-only volume, and is saved once the volume is writable', async () => {
  const config = setting.config({ PLATFORM_USERNAME: junimo.name })
  const folder = join(config.sessionDir, junimo.name)
  mkdirSync(folder, { recursive: true })
  const refreshToken = setting.platform.token(setting.account)
  writeFileSync(join(folder, 'session.json'), JSON.stringify({ username: junimo.name, refreshToken }))
  let foreign = true
  const refused = Object.assign(new Error('permission denied'), { code: 'EACCES' })
  const store = sessionStore(config.sessionDir, {
    ...disk,
    open: (path, flags, mode) => (foreign ? Promise.reject(refused) : fs.open(path, flags, mode)),
  })
  await on(start(config, store, shortMinutes))
  await eventually(() => messages().some((message) => message.includes('Make SESSION_DIR writable')))
  foreign = false
  await eventually(() => messages().includes('The session is saved now'))
  expect(existsSync(store.path(junimo.name))).toBe(true)
})

test.each([-365, 365])(
  'a clock that is wrong by %i days neither rejects nor renews a valid token',
  async (days) => {
    const clock: Clock = { ...systemClock, now: () => Date.now() + days * 86_400_000 }
    const { session, token, savedToken } = await keep({ clock })
    await on(session)
    // Steam's time is in whole seconds, so either day is right.
    await eventually(() => [199, 200].includes(session.state().tokenDaysLeft ?? 0))
    expect(await savedToken()).toBe(token)
    expect(setting.lines.join()).toContain('clock')
  },
)
