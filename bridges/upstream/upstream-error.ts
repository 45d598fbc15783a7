import { FarmError, type FarmFailure } from '../../handlers/farm-error.ts'
import { type FailureCause, notItsApi } from '../../lib/failure-cause.ts'

/** A failure of the game server with its cause: the failure is for callers, the cause for the log. */
export class UpstreamError extends FarmError {
  override readonly cause: FailureCause
  constructor(failure: FarmFailure, cause: FailureCause) {
    super(failure)
    this.cause = cause
  }
}

/** @returns undefined for failures that do not show whether the game can be reached, such as an unknown player */
export function causeOfGameError(error: FarmError): FailureCause | undefined {
  if (error instanceof UpstreamError) return error.cause
  return error.failure.kind === 'bad_response' ? notItsApi(error.failure.detail) : undefined
}
