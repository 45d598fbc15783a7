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

/** One request to a content server failed. The message omits the address, because it may contain a token. */
export class FetchError extends TicketError<FetchErrorKind> {
  /** The HTTP status when `kind` is `status`. */
  readonly status: number | undefined

  constructor(kind: FetchErrorKind, status?: number) {
    super(kind, kind === 'status' ? `status ${status}` : kind)
    this.status = status
  }
}
