import { TicketError } from '../../errors.ts'

/** Why one request brought nothing. */
type FetchErrorKind =
  /** Another status than 200. */
  | 'status'
  /** No connection: name not found, refused, unreachable, bad certificate. */
  | 'unreachable'
  /** Nothing came for a while, or it came far slower than from others. */
  | 'stalled'
  /** The connection ended in the middle, or what came is not the response it should be. */
  | 'cut'

/** One request to a content server failed. It names the cause only: the address may carry a token. */
export class FetchError extends TicketError<FetchErrorKind> {
  /** The status, where that is the cause. */
  readonly status: number | undefined

  constructor(kind: FetchErrorKind, status?: number) {
    super(kind, kind === 'status' ? `status ${status}` : kind)
    this.status = status
  }
}
