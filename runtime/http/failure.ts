/** What the client and the log are told about a caught error. */
import { FarmError } from '../../handlers/farm-error.ts'
import { Problem, problemOf } from '../../handlers/problem.ts'

/** The problem to answer with. An error that is neither a `Problem` nor a `FarmError` is a bug, and its cause is not shown. */
export function problemFrom(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof FarmError) return problemOf(error.failure)
  return new Problem('internal_error', 'Internal server error')
}

/** The cause to log; it is not shown to clients. */
export const causeOf = (error: unknown): unknown =>
  error instanceof FarmError ? error.failure : error instanceof Error ? (error.stack ?? error.message) : error
