import { expect, test } from 'vitest'
import { LogonError } from '../../ticket/errors.ts'
import { logonError } from '../../ticket/session/logon-error.ts'

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
