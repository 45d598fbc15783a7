import { errorCode } from '../failure.ts'

/**
 * Why there is no session: the token or password was `rejected`; the platform wants us to slow down; it cannot be
 * reached, or ended the session; a person is needed.
 */
export type LogonErrorKind = 'rejected' | 'rate_limited' | 'unreachable' | 'person_needed'

export class LogonError extends Error {
  readonly kind: LogonErrorKind
  /** The platform's name for it, such as `AccessDenied`. */
  readonly result: string | null

  constructor(kind: LogonErrorKind, result: string | null, sentence: string) {
    super(sentence)
    this.name = 'LogonError'
    this.kind = kind
    this.result = result
  }
}

const rateLimitResults = new Set(['RateLimitExceeded', 'AccountLoginDeniedThrottle', 'LimitExceeded'])

/** Answers that no repetition changes. */
const rejectedResults = new Set([
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
])

/** @returns what an error of the library means; `resultName` turns its number into the platform's name. */
export function logonError(error: unknown, resultName: (result: number) => string): LogonError {
  if (error instanceof LogonError) return error
  const result = resultOf(error)
  if (result !== null) {
    const name = resultName(result)
    if (rateLimitResults.has(name))
      return new LogonError('rate_limited', name, `the platform asks us to wait (${name})`)
    if (rejectedResults.has(name)) return new LogonError('rejected', name, `the platform answered ${name}`)
    return new LogonError('unreachable', name, `the platform ended the session (${name})`)
  }
  const code = errorCode(error)
  if (code?.startsWith('CERT_') || code?.includes('CERTIFICATE') || code?.includes('SELF_SIGNED')) {
    const hint = 'Check the clock of this machine and any proxy in between'
    return new LogonError(
      'unreachable',
      null,
      `the platform's certificate is not accepted (${code}). ${hint}`,
    )
  }
  const sentence = error instanceof Error ? error.message : 'unknown error'
  return new LogonError('unreachable', null, `the platform cannot be reached (${code ?? sentence})`)
}

function resultOf(error: unknown): number | null {
  if (typeof error !== 'object' || error === null || !('eresult' in error)) return null
  return typeof error.eresult === 'number' ? error.eresult : null
}
