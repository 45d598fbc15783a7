/** Small parts of the session: errors of a logon, waits before the next one, and what a token says. */
import { expect, test } from 'vitest'
import { LogonError, type LogonErrorKind } from '../../ticket/errors.ts'
import { logonError } from '../../ticket/session/logon-error.ts'
import { retryAfter, serveDelays } from '../../ticket/session/retry-delays.ts'
import { daysLeft, readToken } from '../../ticket/session/token.ts'
import { makeToken } from '../platform/accounts.ts'

const errorOf = (error: unknown, name = 'Fail') => logonError(error, () => name)

test.each(['RateLimitExceeded', 'AccountLoginDeniedThrottle', 'LimitExceeded'])(
  '%s means that Steam asks to wait',
  (name) => {
    const error = errorOf({ eresult: 84 }, name)
    expect(error).toMatchObject({ kind: 'rate_limited', result: name })
    expect(error.message).toBe(`Steam asks us to wait (${name})`)
  },
)

test.each([
  'InvalidPassword',
  'AccessDenied',
  'Banned',
  'AccountNotFound',
  'InvalidSteamID',
  'Expired',
  'Revoked',
  'AccountDisabled',
  'Suspended',
  'AccountLockedDown',
  'AccountLogonDenied',
  'AccountLoginDeniedNeedTwoFactor',
  'InvalidSignature',
  'IllegalPassword',
  'AccountLogonDeniedVerifiedEmailRequired',
  'PasswordRequiredToKickSession',
])('%s means that Steam refuses the credentials', (name) => {
  const error = errorOf({ eresult: 5 }, name)
  expect(error).toMatchObject({ kind: 'rejected', result: name, message: `Steam answered ${name}` })
})

test('any other result means that Steam ended the session', () => {
  expect(errorOf({ eresult: 3 }, 'NoConnection')).toMatchObject({
    kind: 'unreachable',
    result: 'NoConnection',
    message: 'Steam ended the session (NoConnection)',
  })
})

test('without a result the code of the error is the reason, or its message', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  for (const [error, message] of [
    [refused, 'Steam cannot be reached (ECONNREFUSED)'],
    [new Error('socket hang up'), 'Steam cannot be reached (socket hang up)'],
    [{ eresult: 'AccessDenied' }, 'Steam cannot be reached (unknown error)'],
    ['text', 'Steam cannot be reached (unknown error)'],
    [null, 'Steam cannot be reached (unknown error)'],
    [undefined, 'Steam cannot be reached (unknown error)'],
  ] as const) {
    expect(errorOf(error)).toMatchObject({ kind: 'unreachable', result: undefined, message })
  }
})

test('an untrusted certificate is named, with the fix', () => {
  const expired = Object.assign(new Error('expired'), { code: 'CERT_HAS_EXPIRED' })
  const { kind, message } = errorOf(expired)
  expect(kind).toBe('unreachable')
  expect(message).toMatch(/^Steam's certificate is not accepted \(CERT_HAS_EXPIRED\): .*clock/)
})

test('an error that already explains the missing session is unchanged', () => {
  const known = new LogonError('person_needed', 'no one approved the sign-in in time')
  expect(errorOf(known)).toBe(known)
})

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

const payload = (claims: object) => `a.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c`
const good = { sub: '76561198000000001', aud: ['client', 'web', 'derive'], exp: 2_000_000_000, iat: 0 }

test('the account and the expiry are read from a refresh token', () => {
  expect(readToken(makeToken(good)).claims).toEqual({ steamId: good.sub, expiresAt: 2_000_000_000_000 })
})

test('a token without an expiry has none', () => {
  expect(readToken(payload({ iss: 'steam', sub: good.sub, aud: good.aud })).claims).toEqual({
    steamId: good.sub,
    expiresAt: undefined,
  })
})

test.each([
  ['an access token', { iss: 'r:0012_25F', sub: good.sub, aud: good.aud }, /not a refresh token/],
  ['text before the account', { iss: 'steam', sub: `x${good.sub}`, aud: good.aud }, /no account/],
  ['text behind the account', { iss: 'steam', sub: `${good.sub}x`, aud: good.aud }, /no account/],
  ['no audience', { iss: 'steam', sub: good.sub }, /not a token/],
  ['an expiry that is not a number', { iss: 'steam', sub: good.sub, aud: good.aud, exp: '1' }, /not a token/],
])('a token is refused with a reason: %s', (_, claims, problem) => {
  expect(readToken(payload(claims)).problem).toMatch(problem)
})

test('a token has exactly three parts', () => {
  const token = makeToken(good)
  expect(readToken(token.split('.').slice(0, 2).join('.')).problem).toBe('it is not a token')
  expect(readToken(`${token}.x`).problem).toBe('it is not a token')
})

test('a token that would crash the Steam library is refused with a reason', () => {
  // Without `derive` the library would log on and then die of an unhandled rejection.
  expect(readToken(makeToken({ ...good, aud: ['client'] })).problem).toMatch(/not a refresh token/)
  expect(readToken(makeToken({ ...good, aud: ['web', 'derive'] })).problem).toMatch(/not for the client/)
  expect(readToken(makeToken({ ...good, sub: 'nobody' })).problem).toMatch(/no account/)
  for (const nonsense of [
    '',
    'a.b',
    'a.b.c',
    'a.e30.c',
    '..',
    `a.${Buffer.from('[]').toString('base64url')}.c`,
  ]) {
    expect(readToken(nonsense).problem, nonsense).toMatch(/^it /)
  }
})

test('remaining days are whole numbers, and negative after the expiry', () => {
  expect(daysLeft(10 * 86_400_000, 0)).toBe(10)
  expect(daysLeft(86_400_000 - 1, 0)).toBe(0)
  expect(daysLeft(0, 1)).toBe(-1)
  expect(daysLeft(undefined, 0)).toBeUndefined()
})
