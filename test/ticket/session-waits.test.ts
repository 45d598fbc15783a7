/** When `serve` logs on again after a failed logon or a lost session. */
import { expect, test } from 'vitest'
import { LogonError } from '../../ticket/errors.ts'
import { keep, lost, sessionWith, token, tokenUntil, unreachable } from './opened-sessions.ts'

test('after a failed logon the state and the log say why and when the next one comes', async () => {
  const { begun, fail, state, lines, clock, opens, close } = keep()
  await begun
  await clock.advance(100)
  await fail(unreachable)
  expect(state()).toMatchObject({ phase: 'waiting', reason: unreachable.message, retryAt: 850 })
  expect(lines).toEqual([['warn', `Not logged on: ${unreachable.message}. Next try in 1 s`]])
  await clock.advance(749)
  expect(opens).toHaveLength(1)
  await clock.advance(1)
  expect(opens).toHaveLength(2)
  expect(state()).toMatchObject({ phase: 'logging_on', retryAt: undefined })
  await fail(unreachable)
  expect(lines.at(-1)).toEqual(['warn', `Not logged on: ${unreachable.message}. Next try in 2 s`])
  await close()
})

test('a lost session is reported at once, and the log says why and when the next logon comes', async () => {
  const { begun, logOn, lose, state, states, lines, close, clock, opens } = keep()
  await begun
  await logOn()
  states.length = 0
  await lose()
  expect(states[0]).toMatchObject({ phase: 'logging_on', steamId: undefined })
  expect(state()).toMatchObject({ phase: 'waiting', reason: lost.message, session: 1 })
  expect(lines.at(-1)).toEqual(['warn', `Lost the session: ${lost.message}. Next try in 1 s`])
  await clock.advance(750)
  expect(opens).toHaveLength(2)
  await logOn()
  expect(state()).toMatchObject({ phase: 'logged_on', session: 2 })
  await close()
})

test('a session that ended before it was seen does not count', async () => {
  const { begun, logOn, states, close } = keep()
  await begun
  await logOn({ ended: AbortSignal.abort(lost), lost: Promise.resolve(lost) })
  expect(states.map(({ phase }) => phase)).toEqual(['logging_on', 'logged_on', 'logging_on', 'waiting'])
  await close()
})

test.each([
  [599_999, 1500],
  [600_000, 750],
])('after a failed logon and a session that lasted %i ms the wait is %i ms', async (lasted, wait) => {
  const { begun, fail, logOn, lose, clock, state, close } = keep()
  await begun
  await fail(unreachable)
  await clock.advance(750)
  await logOn()
  await clock.advance(lasted)
  await lose()
  expect((state().retryAt ?? 0) - clock.monotonic()).toBe(wait)
  await close()
})

test('waits grow too when each logon succeeds and its session is lost again', async () => {
  const { begun, logOn, lose, clock, state, close } = keep()
  await begun
  for (const wait of [750, 1500, 3000, 6000]) {
    await logOn()
    await lose()
    expect((state().retryAt ?? 0) - clock.monotonic()).toBe(wait)
    await clock.advance(wait)
  }
  await close()
})

const limited = new LogonError('rate_limited', 'Steam asks us to wait (RateLimitExceeded)')

test.each([true, false])(
  'after a rate limit the next logon comes after 30 min (of a session: %s)',
  async (isLost) => {
    const { begun, logOn, lose, fail, clock, state, opens, close } = keep()
    await begun
    if (isLost) {
      await logOn()
      await lose(limited)
    } else await fail(limited)
    expect(state()).toMatchObject({ phase: 'waiting', reason: limited.message, retryAt: 1_800_000 })
    for (let count = 1; count < 360; count += 1) await clock.advance(5000)
    expect(opens).toHaveLength(1)
    await clock.advance(5000)
    expect(opens).toHaveLength(2)
    await close()
  },
)

test('a login during a logon of the service ends the wait after it', async () => {
  const { begun, fail, clock, saved, opens, close } = keep()
  await begun
  opens[0]?.onToken?.(token)
  saved.session = sessionWith(tokenUntil(300))
  await fail(limited)
  await clock.advance(5000)
  expect(opens).toHaveLength(2)
  await close()
})

const refused = new LogonError('rejected', 'Steam answered Expired')

test('if a person must sign in, the state and the log say so, and a new saved session is tried within 5 s', async () => {
  const { begun, fail, state, lines, clock, opens, saved, logOn, close } = keep()
  await begun
  opens[0]?.onToken?.(token)
  await fail(refused)
  expect(state()).toMatchObject({ phase: 'login_needed', reason: refused.message, retryAt: undefined })
  expect(lines).toEqual([
    [
      'error',
      `A person must sign in: ${refused.message}. Run the login command; the service then continues automatically`,
    ],
  ])
  const looks = saved.looks
  await clock.advance(5000)
  await clock.advance(5000)
  expect(saved.looks).toBe(looks + 2)
  expect(opens).toHaveLength(1)
  saved.session = sessionWith(tokenUntil(300))
  await clock.advance(4999)
  expect(opens).toHaveLength(1)
  await clock.advance(1)
  expect(lines.at(-1)).toEqual(['info', 'A new session was saved. Trying it now'])
  expect(opens).toHaveLength(2)
  await logOn()
  expect(state().phase).toBe('logged_on')
  await close()
})

test('without a new session the next attempt comes after 30 min, also while the file cannot be read', async () => {
  const { begun, fail, clock, opens, saved, close } = keep()
  await begun
  await fail(refused)
  saved.session = undefined
  for (let count = 1; count < 360; count += 1) await clock.advance(5000)
  expect(opens).toHaveLength(1)
  await clock.advance(5000)
  expect(opens).toHaveLength(2)
  await close()
})

test('a token that was already tried, or saved before the logon, is not a new session', async () => {
  const { begun, fail, clock, opens, saved, close } = keep()
  await begun
  const tried = tokenUntil(100)
  opens[0]?.onToken?.(tried)
  await fail(refused)
  await clock.advance(5000)
  saved.session = sessionWith(tried)
  await clock.advance(5000)
  expect(opens).toHaveLength(1)
  await close()
})

test('a token that the session itself has renewed is not a new session after a loss', async () => {
  const { begun, logOn, lose, clock, opens, saved, close } = keep()
  await begun
  await logOn()
  saved.session = sessionWith(tokenUntil(300))
  await lose(limited)
  await clock.advance(5000)
  await clock.advance(5000)
  expect(opens).toHaveLength(1)
  await close()
})

test('after a new session the waits start again at 1 s', async () => {
  const { begun, fail, clock, saved, state, close } = keep()
  await begun
  for (let count = 0; count < 5; count += 1) {
    await fail(unreachable)
    await clock.advance(300_000)
    await clock.advance(300_000)
  }
  await fail(refused)
  saved.session = sessionWith(tokenUntil(300))
  await clock.advance(5000)
  await fail(unreachable)
  expect((state().retryAt ?? 0) - clock.monotonic()).toBe(750)
  await close()
})
