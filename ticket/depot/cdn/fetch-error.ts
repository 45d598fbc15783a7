import { certificateProblem } from '../../certificate-problem.ts'
import { TicketError } from '../../errors.ts'

/** Why one request failed. */
type FetchErrorKind =
  /** A status other than 200. */
  | 'status'
  /** No connection: name not found, refused, unreachable, invalid certificate. */
  | 'unreachable'
  /** No bytes for too long, or much slower than other requests. */
  | 'stalled'
  /** The connection ended before the response was complete, or the response is invalid. */
  | 'cut'

/**
 * One request to a content server failed. The message is for the operator; it omits the address, because it may contain
 * a token.
 */
export class FetchError extends TicketError<FetchErrorKind> {
  /** The HTTP status when `kind` is `status`. */
  readonly status: number | undefined

  constructor(kind: FetchErrorKind, message: string, status?: number) {
    super(kind, message)
    this.status = status
  }
}

/** A response that is incomplete or breaks the rules of HTTP. */
export function invalidResponse(): FetchError {
  return new FetchError('cut', 'the answer is incomplete or not valid')
}

export function refusedWith(status: number): FetchError {
  return new FetchError('status', `status ${status}`, status)
}

export function stalled(): FetchError {
  return new FetchError('stalled', 'no answer in time')
}

const unreachableCodes =
  /^(ENOTFOUND|EAI_|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|EADDRNOTAVAIL|ETIMEDOUT|ERR_PROXY|ERR_TLS|ERR_SSL|EPROTO)/

/** @returns the error for a connection that ended. @param code error code of the system or of Node */
export function connectionFailed(code: string): FetchError {
  const certificate = certificateProblem(code)
  if (certificate !== undefined)
    return new FetchError('unreachable', `the certificate is not accepted (${code}): ${certificate}`)
  if (unreachableCodes.test(code)) return new FetchError('unreachable', `not reachable (${code})`)
  return new FetchError('cut', `the connection was closed early (${code})`)
}
