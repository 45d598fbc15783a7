/** Error codes of the server's answers: docs/api.md. */
type AnswerCode =
  | 'already_running'
  | 'ambiguous_name'
  | 'bad_game_response'
  | 'delivery_not_found'
  | 'discord_server_not_found'
  | 'farmhand_not_found'
  | 'farmhand_online'
  | 'game_timeout'
  | 'game_unavailable'
  | 'headers_too_large'
  | 'host_unavailable'
  | 'insufficient_scope'
  | 'internal_error'
  | 'invalid_parameter'
  | 'key_not_found'
  | 'backup_not_found'
  | 'disk_failed'
  | 'disk_low'
  | 'range_not_satisfiable'
  | 'malformed_request'
  | 'method_not_allowed'
  | 'not_configured'
  | 'not_found'
  | 'not_running'
  | 'operation_not_found'
  | 'operation_running'
  | 'origin_not_allowed'
  | 'payload_too_large'
  | 'player_not_found'
  | 'players_connected'
  | 'rate_limited'
  | 'restore_refused'
  | 'restore_undone'
  | 'save_in_progress'
  | 'schedule_not_found'
  | 'server_not_ready'
  | 'settings_changed'
  | 'settings_unusable'
  | 'too_late'
  | 'too_many_clients'
  | 'too_many_keys'
  | 'too_many_schedules'
  | 'too_many_webhooks'
  | 'unauthorized'
  | 'unsupported'
  | 'unsupported_media_type'
  | 'upgrade_required'
  | 'uri_too_long'
  | 'wait_timeout'
  | 'webhook_not_found'

/** Error codes of refused messages on a live connection: docs/bot.md. */
type ChatCode =
  | 'game_unavailable'
  | 'insufficient_scope'
  | 'invalid_payload'
  | 'malformed'
  | 'message_too_long'
  | 'outcome_unknown'
  | 'rate_limited'
  | 'unknown_topic'
  | 'unknown_type'

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
  readonly code: ErrorCode | (string & Record<never, never>)
  /** The HTTP status; undefined when there was no answer, and for chat. */
  readonly status: number | undefined
  /** The same call can succeed a little later. Never set for a change whose outcome is unknown. */
  readonly retry: boolean
  /** Seconds to wait before that, where the server said so. */
  readonly retryAfter: number | undefined
  /** `X-Request-Id` of the answer, which the server's log has too. */
  readonly requestId: string | undefined
  /** The parameter at fault. */
  readonly parameter: string | undefined
  /** The whole body of the answer, for members that only one error has. */
  readonly body: unknown

  constructor(code: string, message: string, details: FarmgateErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.status = details.status
    this.retry = details.retry ?? false
    this.retryAfter = details.retryAfter
    this.requestId = details.requestId
    this.parameter = details.parameter
    this.body = details.body
  }
}

export interface FarmgateErrorDetails {
  status?: number | undefined
  retry?: boolean | undefined
  retryAfter?: number | undefined
  requestId?: string | undefined
  parameter?: string | undefined
  body?: unknown
  cause?: unknown
}
