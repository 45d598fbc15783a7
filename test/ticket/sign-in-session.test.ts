/** How a sign-in ends, with a session of the sign-in library that the test drives. */
import { EventEmitter } from 'node:events'
import type { LoginSession } from 'steam-session'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { makeSecrets } from '../../ticket/secrets.ts'
import { resultName, type SignInSteps, signIn } from '../../ticket/session/sign-in.ts'
import { keptLog } from './kept-log.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

function begin({
  begin = async () => 'begun',
  confirm = async () => undefined,
}: Partial<SignInSteps<string>> = {}) {
  let cancelled = 0
  const session = Object.assign(new EventEmitter(), {
    loginTimeout: 0,
    accountName: 'junimo',
    refreshToken: 'refresh-token',
    accessToken: 'access-token',
    steamGuardMachineToken: 'machine-token',
    cancelLoginAttempt() {
      cancelled += 1
    },
  })
  const secrets = makeSecrets()
  const stop = new AbortController()
  let isClosed = false
  const signed = signIn(
    {
      proxy: undefined,
      answerTimeout: 30_000,
      approvalTimeout: 300_000,
      prompter: undefined,
      log: keptLog(),
      secrets,
      signal: stop.signal,
    },
    { begin, confirm },
    (agent) => {
      const destroy = agent.destroy.bind(agent)
      agent.destroy = () => {
        isClosed = true
        destroy()
      }
      return session as unknown as LoginSession
    },
  )
  signed.catch(() => undefined)
  const turn = () => vi.advanceTimersByTimeAsync(0)
  return { session, secrets, stop, signed, turn, isOver: () => isClosed && cancelled === 1 }
}

const refusal = (eresult: number) => Object.assign(new Error('refused'), { eresult })
const late = { kind: 'unreachable', message: 'Steam did not answer within 30 s' }

test('a successful sign-in gives the session, blanks its tokens in the log, and closes its connections', async () => {
  const { session, signed, secrets, turn, isOver } = begin()
  await turn()
  expect(isOver()).toBe(false)
  session.emit('authenticated')
  expect(await signed).toEqual({
    username: 'junimo',
    refreshToken: 'refresh-token',
    guardData: 'machine-token',
  })
  expect(secrets.blank('refresh-token access-token machine-token')).toBe('[secret] [secret] [secret]')
  expect(isOver()).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
  // The library's own time limit uses a clock that can be set.
  expect(session.loginTimeout).toBe(Number.POSITIVE_INFINITY)
})

test("Steam's answer to the begin is passed to the next step", async () => {
  const confirmed: unknown[] = []
  const { session, signed } = begin({
    async confirm({ session: given, started }) {
      confirmed.push(given, started)
      session.emit('authenticated')
    },
  })
  await signed
  expect(confirmed).toEqual([session, 'begun'])
})

test('a begin that Steam does not answer ends after 30 s', async () => {
  const { signed, isOver } = begin({ begin: () => new Promise(() => undefined) })
  await vi.advanceTimersByTimeAsync(29_999)
  expect(isOver()).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  await expect(signed).rejects.toMatchObject(late)
  expect(isOver()).toBe(true)
})

test('a later request that Steam does not answer ends after 30 s', async () => {
  const { signed } = begin({ confirm: ({ answer }) => answer(new Promise(() => undefined)) })
  await vi.advanceTimersByTimeAsync(30_000)
  await expect(signed).rejects.toMatchObject(late)
})

test('each poll has 30 s for its answer, and no other event delays the end', async () => {
  const { session, signed } = begin()
  await vi.advanceTimersByTimeAsync(20_000)
  session.emit('polling')
  await vi.advanceTimersByTimeAsync(20_000)
  session.emit('debug', 'poll response')
  await vi.advanceTimersByTimeAsync(20_000)
  session.emit('debug', 'poll')
  await vi.advanceTimersByTimeAsync(9999)
  let hasEnded = false
  signed.catch(() => {
    hasEnded = true
  })
  await vi.advanceTimersByTimeAsync(0)
  expect(hasEnded).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  await expect(signed).rejects.toMatchObject(late)
})

test("a person has 5 min to approve, for any number of Steam's answers", async () => {
  const { session, signed, isOver } = begin({ confirm: () => new Promise(() => undefined) })
  for (let count = 0; count < 15; count += 1) {
    session.emit('polling')
    await vi.advanceTimersByTimeAsync(20_000 - (count === 14 ? 1 : 0))
  }
  expect(isOver()).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  await expect(signed).rejects.toMatchObject({
    kind: 'person_needed',
    message: 'no one approved the sign-in in time',
  })
})

test.each([
  ['AccessDenied', 15, { kind: 'rejected', message: 'the sign-in was denied in the Steam mobile app' }],
  ['FileNotFound', 9, { kind: 'person_needed', message: 'no one approved the sign-in in time' }],
  ['Expired', 27, { kind: 'person_needed', message: 'no one approved the sign-in in time' }],
  ['RateLimitExceeded', 84, { kind: 'rate_limited' }],
  ['result 9999', 9999, { kind: 'unreachable' }],
])('a poll that Steam answers with %s ends the sign-in', async (name, eresult, expected) => {
  expect(resultName(eresult)).toBe(name)
  const { session, signed, turn } = begin()
  await turn()
  session.emit('error', refusal(eresult))
  await expect(signed).rejects.toMatchObject({ ...expected, result: name })
})

test('a begin that Steam refuses is reported by its result, which has another meaning there', async () => {
  const { signed } = begin({ begin: () => Promise.reject(refusal(15)) })
  await expect(signed).rejects.toMatchObject({ kind: 'rejected', message: 'Steam answered AccessDenied' })
})

test('an interrupt ends a sign-in with its reason, and an earlier one prevents it', async () => {
  const { signed, stop, turn, isOver } = begin()
  await turn()
  stop.abort(new Error('interrupted'))
  await expect(signed).rejects.toThrow('interrupted')
  expect(isOver()).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})

test('a sign-in that fails because of an interrupt reports the interrupt', async () => {
  const { signed, stop, session, turn } = begin()
  await turn()
  session.emit('error', refusal(15))
  stop.abort(new Error('interrupted'))
  await expect(signed).rejects.toThrow('interrupted')
})
