import { errorCode } from '../../lib/error-code.ts'
import { certificateProblem } from '../certificate-problem.ts'
import { LogonError } from '../errors.ts'

const rateLimitResults = new Set(['RateLimitExceeded', 'AccountLoginDeniedThrottle', 'LimitExceeded'])

/** Results that another attempt with the same credentials does not change. */
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

/** @returns the LogonError for an error of steam-user. @param resultName Steam's name for a result number */
export function logonError(error: unknown, resultName: (result: number) => string): LogonError {
  if (error instanceof LogonError) return error
  const result = resultOf(error)
  if (result !== undefined) {
    const name = resultName(result)
    if (rateLimitResults.has(name))
      return new LogonError('rate_limited', `Steam asks us to wait (${name})`, name)
    if (rejectedResults.has(name)) return new LogonError('rejected', `Steam answered ${name}`, name)
    return new LogonError('unreachable', `Steam ended the session (${name})`, name)
  }
  const code = errorCode(error)
  const certificate = code === undefined ? undefined : certificateProblem(code)
  if (certificate !== undefined)
    return new LogonError('unreachable', `Steam's certificate is not accepted (${code}): ${certificate}`)
  const sentence = error instanceof Error ? error.message : 'unknown error'
  return new LogonError('unreachable', `Steam cannot be reached (${code ?? sentence})`)
}

function resultOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('eresult' in error)) return undefined
  return typeof error.eresult === 'number' ? error.eresult : undefined
}
