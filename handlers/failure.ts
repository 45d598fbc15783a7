/** What a caught error becomes for the client and the log. */
import { FarmError } from './farm-error.ts'
import { Problem, problemOf } from './problem.ts'

/**
 * The problem to answer with. An error that is neither a `Problem` nor a `FarmError` is a bug, and its cause is not
 * shown.
 */
export function problemFrom(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof FarmError) return problemOf(error.failure)
  return new Problem('internal_error', 'Internal server error')
}

/** The cause for the log; clients do not see it. */
export const causeOf = (error: unknown): unknown =>
  error instanceof FarmError ? error.failure : error instanceof Error ? (error.stack ?? error.message) : error
