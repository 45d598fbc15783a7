import type { AnswerCode, ChatCode } from './types.ts'

/** The client's own: docs/bot.md. */
type OwnCode = 'unreachable' | 'timeout' | 'bad_answer' | 'closed'

/** The known codes. A later version of the server may have others. */
export type ErrorCode = AnswerCode | ChatCode | OwnCode

/** The error of a failed call, or of a refused chat line. */
export class FarmgateError extends Error {
  override readonly name = 'FarmgateError'
  /**
   * Of the server's answer, or the client's own: `unreachable`, `timeout`, `closed`, and `bad_answer` for an answer of
   * another program.
   */
  declare readonly code: ErrorCode | (string & Record<never, never>)
  /** The HTTP status; undefined when there was no answer, and for chat. */
  declare readonly status: number | undefined
  /** The same call can succeed a little later. Never set for a change whose outcome is unknown. */
  declare readonly retry: boolean
  /** Seconds to wait before that, where the server said so. */
  declare readonly retryAfter: number | undefined
  /** `X-Request-Id` of the answer, which the server's log has too. */
  declare readonly requestId: string | undefined
  /** The parameter at fault. */
  declare readonly parameter: string | undefined
  /** The whole body of the answer, for members that only one error has. */
  declare readonly body: unknown

  constructor(code: string, message: string, details: FarmgateErrorDetails = {}) {
    super(message, details)
    Object.assign(this, { retry: false, ...details, code })
  }
}

export interface FarmgateErrorDetails {
  status?: number | undefined
  retry?: boolean
  retryAfter?: number | undefined
  requestId?: string | undefined
  parameter?: string | undefined
  body?: unknown
  cause?: unknown
}
