/** What a caught error means for the caller, and for the log. */
import { GameError } from '../../handlers/game-error.ts'
import { Problem, problemOf } from '../../handlers/problem.ts'

/** What went wrong, in the closed set; anything unforeseen is a bug of ours, told without its cause. */
export function problemFrom(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof GameError) return problemOf(error.failure)
  return new Problem('internal_error', 'Internal server error')
}

/** The cause, for the log only. */
export const causeOf = (error: unknown): unknown =>
  error instanceof GameError ? error.failure : error instanceof Error ? (error.stack ?? error.message) : error
