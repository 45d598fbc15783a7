import { afterEach, expect, test, vi } from 'vitest'
import { runTasks } from '../../ticket/session/background-tasks.ts'
import { tokenDays } from '../../ticket/session/session-token.ts'
import { check, full } from './checked-token.ts'
import { stillClock } from './fake-platform.ts'
import { keptLog } from './kept-log.ts'
import { day, sessionWith, start, tokenFor } from './saved-sessions.ts'

afterEach(() => void vi.useRealTimers())

test.each([
  [30, true],
  [31, false],
])('a token with %i days left is renewed: %s', async (days, isRenewed) => {
  const { begun, state, token, lines, secrets } = check({ days })
  await begun
  expect(state.asked).toEqual(isRenewed ? [token] : [])
  expect(state.daysLeft).toEqual([isRenewed ? 200 : days])
  expect(state.file).toEqual(sessionWith(isRenewed ? tokenFor(200) : token))
  expect(lines).toEqual(isRenewed ? [['info', 'The token was renewed and is good for 200 days']] : [])
  expect(secrets.blank(tokenFor(200))).not.toContain(isRenewed ? tokenFor(200) : '[secret]')
})

test('the next check is a day later, with the renewed token', async () => {
  const { begun, state, token, clock } = check({ days: 31 })
  await begun
  await clock.advance(day - 1)
  expect(state.asked).toEqual([])
  await clock.advance(1)
  expect(state.asked).toEqual([token])
  await clock.advance(170 * day)
  expect(state.asked).toEqual([token, tokenFor(200)])
})

test('a slow check does not delay the next one', async () => {
  const { begun, state, clock } = check({ days: 200 })
  await begun
  await clock.advance(3 * day)
  await clock.advance(day)
  expect(state.daysLeft).toEqual([200, 197, 196])
})

test.each([
  [14, false, 'The token ends in 14 days. Run the login command before that'],
  [14, true, 'The token ends in 14 days. Set a new PLATFORM_REFRESH_TOKEN before that'],
  [-2, true, 'The token ends in -2 days. Set a new PLATFORM_REFRESH_TOKEN before that'],
  [15, false, undefined],
  [15, true, undefined],
])(
  'with %i days left (from the environment: %s) the warning is %j',
  async (days, isFromEnvironment, warning) => {
    const { begun, state, lines } = check({ days, isFromEnvironment })
    state.renewed = undefined
    await begun
    expect(lines).toEqual(warning === undefined ? [] : [['warn', warning]])
    expect(state.daysLeft).toEqual([days])
    // Space is reserved before the request to Steam.
    expect(state.released).toBe(isFromEnvironment ? 0 : 1)
  },
)

test('a token without expiry is neither renewed nor warned about', async () => {
  expect(tokenDays('nonsense', start)).toBeUndefined()
})

test('a token from the environment is never renewed', async () => {
  const { begun, state } = check({ days: 1, isFromEnvironment: true })
  await begun
  expect(state.asked).toEqual([])
  expect(state.released).toBe(0)
})

test('a token that another process has renewed is used, blanked in the log, and not renewed again', async () => {
  const { begun, state, clock, secrets } = check({ days: 31 })
  await begun
  state.file = sessionWith(tokenFor(90))
  await clock.advance(day)
  expect(state.asked).toEqual([])
  expect(state.daysLeft).toEqual([31, 89])
  expect(secrets.blank(tokenFor(90))).not.toContain(tokenFor(90))
})

test('the use of a token does not end when its saved session is removed', async () => {
  const { begun, state, clock, token } = check({ days: 31 })
  await begun
  state.file = undefined
  await clock.advance(day)
  expect(state.asked).toEqual([token])
})

test('a renewal that Steam answers late is a warning after 15 s, and the new token is saved on arrival', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { begun, state, lines, clock, token } = check({ days: 20 })
  const answer = Promise.withResolvers<string>()
  state.renewed = answer.promise
  await begun
  await vi.advanceTimersByTimeAsync(14_999)
  expect(lines).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  await clock.advance(0)
  expect(lines).toEqual([
    ['warn', 'Steam has not answered the request for a new token. A late answer is still saved'],
  ])
  expect(state.daysLeft).toEqual([20])
  answer.resolve(tokenFor(200))
  await clock.advance(0)
  expect(state.asked).toEqual([token])
  expect(state.file).toEqual(sessionWith(tokenFor(200)))
  expect(state.daysLeft).toEqual([20, 200])
})

test('a late new token that cannot be saved is saved within a minute once that works', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { begun, state, clock } = check({ days: 20 })
  const answer = Promise.withResolvers<string>()
  state.renewed = answer.promise
  state.commit = new Error('EIO')
  await begun
  await vi.advanceTimersByTimeAsync(15_000)
  await clock.advance(0)
  answer.resolve(tokenFor(200))
  await clock.advance(0)
  expect(state.unsaved).toEqual([tokenFor(200)])
  await clock.advance(60_000)
  expect(state.file).toEqual(sessionWith(tokenFor(200)))
  expect(state.unsaved).toEqual([tokenFor(200), undefined])
})

test('a pending renewal is not repeated, and ends with the session', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { begun, state, clock, token, held, endSession } = check({ days: 20 })
  state.renewed = Promise.withResolvers<string>().promise
  await begun
  await vi.advanceTimersByTimeAsync(15_000)
  await clock.advance(0)
  const second = held.renew()
  expect(state.asked).toEqual([token])
  endSession()
  expect(await second).toEqual({ outcome: 'failed', reason: 'Steam ended the session' })
  expect(held.renewing()).toBeUndefined()
  expect(state.released).toBe(1)
})

test('without space for a new token no renewal is requested, and the log says so at each check', async () => {
  const { begun, state, clock, lines } = check({ days: 20 })
  state.disk = full
  await begun
  await clock.advance(day)
  expect(state.asked).toEqual([])
  expect(lines).toEqual(
    Array(2).fill(['error', expect.stringContaining('The token is not renewed'), { error: 'ENOSPC' }]),
  )
  expect(state.unsaved).toEqual([])
  expect(state.daysLeft).toEqual([20, 19])
})

test('when Steam does not renew, the reserved space is released and the reason is a warning', async () => {
  const { begun, state, lines } = check({ days: 20 })
  state.renewed = new Error('socket hang up')
  await begun
  expect(state.released).toBe(1)
  expect(lines).toEqual([
    ['warn', 'The token could not be renewed: Steam cannot be reached (socket hang up)'],
  ])
  expect(state.daysLeft).toEqual([20])
})

test('a renewed token that could not be saved is saved as soon as that works, tried once a minute', async () => {
  const { begun, state, clock, lines } = check({ days: 20 })
  state.commit = new Error('EIO')
  await begun
  expect(lines).toEqual([['error', expect.stringContaining('could not be saved'), { error: 'EIO' }]])
  expect(state.unsaved).toEqual([tokenFor(200)])
  expect(state.daysLeft).toEqual([200])
  state.disk = full
  await clock.advance(59_999)
  expect(state.saves).toBe(0)
  await clock.advance(1)
  await clock.advance(60_000)
  expect(state.saves).toBe(2)
  state.disk = undefined
  await clock.advance(60_000)
  expect(state.file?.refreshToken).toBe(tokenFor(200))
  expect(state.unsaved).toEqual([tokenFor(200), undefined])
  expect(lines.at(-1)).toEqual(['info', 'The session is saved now'])
  await clock.advance(60_000)
  expect(state.saves).toBe(3)
  // The next check is a day after the last one, not after the save.
  await clock.advance(day - 4 * 60_000 - 1)
  expect(state.daysLeft).toHaveLength(1)
  await clock.advance(1)
  expect(state.daysLeft).toEqual([200, 199])
})

test('an unsaved session is not renewed, and the saved one does not replace it', async () => {
  const { begun, state, clock, token } = check({ days: 20, saveError: full })
  state.disk = full
  state.file = sessionWith(tokenFor(90))
  await begun
  expect(state.asked).toEqual([])
  expect(state.daysLeft).toEqual([20])
  state.disk = undefined
  await clock.advance(60_000)
  expect(state.file?.refreshToken).toBe(token)
  expect(state.unsaved).toEqual([undefined])
})

test('an unsaved session does not delay the daily check', async () => {
  const { begun, state, clock } = check({ days: 200, saveError: full })
  state.disk = full
  await begun
  await clock.advance(day)
  await clock.advance(0)
  expect(state.daysLeft).toEqual([200, 199])
})

test('the check ends with its session', async () => {
  const { begun, stop, ended } = check({ days: 200 })
  await begun
  stop.abort()
  expect(await ended).toMatchObject({ name: 'AbortError' })
})

const setting = () => ({ log: keptLog(), clock: stillClock() })
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('a background task that fails is logged by its name and runs again after 5 min, while the others continue', async () => {
  const { log, clock } = setting()
  let runs = 0
  const run = async () => {
    if (++runs < 3) throw new Error('EACCES')
  }
  const other = { name: 'other', run: async () => undefined }
  const done = runTasks([{ name: 'daily check of the token', run }, other], {
    log,
    clock,
    signal: new AbortController().signal,
  })
  await turn()
  expect(log.lines).toEqual([
    ['error', 'The daily check of the token failed and is tried again in 5 min', { error: 'EACCES' }],
  ])
  await clock.advance(299_999)
  expect(runs).toBe(1)
  await clock.advance(1)
  expect(runs).toBe(2)
  await clock.advance(300_000)
  await done
  expect(runs).toBe(3)
})

test('tasks end with the session, without a line in the log', async () => {
  const { log, clock } = setting()
  const session = new AbortController()
  const run = () =>
    new Promise<void>((_resolve, reject) =>
      session.signal.addEventListener('abort', () => reject(session.signal.reason)),
    )
  const done = runTasks([{ name: 'background download', run }], { log, clock, signal: session.signal })
  session.abort()
  await done
  expect(log.lines).toEqual([])
})
