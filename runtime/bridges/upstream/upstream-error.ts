import { GameError, type GameFailure } from '../../../handlers/game-error.ts'
import { type FailureCause, notItsApi } from '../../failure-cause.ts'

/** A failure of the game server that knows its cause: callers are told the failure, the log the cause. */
export class UpstreamError extends GameError {
  override readonly cause: FailureCause
  constructor(failure: GameFailure, cause: FailureCause) {
    super(failure)
    this.cause = cause
  }
}

/** @returns undefined for failures of a single request, which say nothing of the game's being there */
export function causeOfGameError(error: GameError): FailureCause | undefined {
  if (error instanceof UpstreamError) return error.cause
  return error.failure.kind === 'bad_response' ? notItsApi(error.failure.detail) : undefined
}
