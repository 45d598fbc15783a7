import { expect, test } from 'vitest'
import { LogonError, type LogonErrorKind } from '../../ticket/errors.ts'
import { retryAfter, serveDelays } from '../../ticket/session/retry-delays.ts'

const after = (error: unknown, failures = 1, lost = false) =>
  retryAfter(error, failures, lost, serveDelays, 1)

test('the wait doubles with each consecutive failure, from 1 s to 5 min', () => {
  const error = new LogonError('unreachable', 'Steam cannot be reached (ECONNREFUSED)')
  expect([1, 2, 3, 8, 9, 10, 1000].map((failures) => after(error, failures).delay)).toEqual([
    1000, 2000, 4000, 128_000, 256_000, 300_000, 300_000,
  ])
  expect(after(error)).toMatchObject({ reason: error.message, personNeeded: false })
})

test.each<[LogonErrorKind, boolean, number, boolean]>([
  ['rate_limited', false, 1_800_000, false],
  ['rate_limited', true, 1_800_000, false],
  ['rejected', false, 1_800_000, true],
  ['person_needed', false, 1_800_000, true],
  // A session that Steam has ended shows nothing about the token.
  ['rejected', true, 1000, false],
  ['person_needed', true, 1000, false],
  ['unreachable', true, 1000, false],
])(
  'after %s, with a session before it: %s, the wait is %i ms and a person is needed: %s',
  (kind, lost, delay, personNeeded) => {
    expect(after(new LogonError(kind, 'why'), 1, lost)).toEqual({ reason: 'why', delay, personNeeded })
  },
)

test('an unexpected error waits like an unreachable Steam', () => {
  expect(after(new TypeError('x is not a function'))).toEqual({
    reason: 'x is not a function',
    delay: 1000,
    personNeeded: false,
  })
  expect(after('text').reason).toBe('text')
})

test('a session counts as stable after 10 min, and a wait checks for a new login every 5 s', () => {
  expect(serveDelays).toMatchObject({ stableAfter: 600_000, lookForLogin: 5000 })
})
