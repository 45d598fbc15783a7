import { expect, test } from 'vitest'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { eventually } from '../wait.ts'
import { on, sharedSessions } from './kept-session.ts'
import { junimo } from './setting.ts'

const { setting, keep, messages, start } = await sharedSessions()

test('a lost session is restored, for each way of losing it', async () => {
  const { session } = await keep()
  await on(session)
  setting.platform.dropSockets()
  await eventually(() => session.state().session === 2)
  for (const [round, result] of [
    'LogonSessionReplaced',
    'LoggedInElsewhere',
    'ServiceUnavailable',
  ].entries()) {
    setting.platform.logOffAll(result)
    await eventually(() => session.state().session === round + 3)
  }
})

test('after a long outage of Steam no restart is needed, and the log stays short', async () => {
  const { session } = await keep({ logonTimeout: 300 })
  await on(session)
  setting.platform.knobs.unreachable = true
  setting.platform.dropSockets()
  await eventually(() => messages().length >= 5 && session.state().phase !== 'logged_on')
  const { phase, reason } = session.state()
  expect(['waiting', 'logging_on']).toContain(phase)
  expect(reason).toBeTruthy()
  await expect(session.requestTicket()).rejects.toMatchObject({ kind: 'not_logged_in' })
  setting.platform.knobs.unreachable = false
  await on(session)
  // One line for each attempt, and attempts are up to five minutes apart.
  const tries = setting.lines.filter((line) => line.includes('Next try in')).length
  expect(setting.lines.length).toBeLessThanOrEqual(tries + 3)
})

test('with two processes on one session file, the one that did not renew reads the new token from the file', async () => {
  const { session, config, store } = await keep({ days: 20 })
  await on(session)
  await eventually(() => session.state().tokenDaysLeft === 199)
  const second = start(config, store)
  await on(second)
  const renewed = setting.platform.token(setting.account)
  const old = (await store.load(junimo.name)).session
  if (!old) throw new Error('nothing was saved')
  setting.platform.book.revoke(old.refreshToken)
  await store.save({ ...old, refreshToken: renewed })
  setting.platform.dropSockets()
  await eventually(() => session.state().session === 2 && second.state().session === 2)
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
