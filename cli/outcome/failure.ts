/** The end of a command without its result: a sentence, a remedy, and an exit code. */

import * as v from 'valibot'
import { FarmgateError } from '../../client/index.ts'
import { errorCode } from '../../lib/error-code.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { remedyOf } from './remedies.ts'

/** Ends a command. Only main.ts turns it into an exit code. */
export class Failure extends Error {
  readonly exitCode: ExitCode
  /** What the user can do, a sentence. */
  readonly remedy: string | undefined
  /** The body of the server's answer, for `--json`. */
  readonly body: unknown

  constructor(exitCode: ExitCode, message: string, remedy?: string, body?: unknown) {
    super(message)
    this.exitCode = exitCode
    this.remedy = remedy
    this.body = body
  }
}

export const wrongUsage = (message: string, remedy?: string) =>
  new Failure(exitCodes.wrongUsage, message, remedy)

/** @returns any error as a failure for the user */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error
  if (!(error instanceof FarmgateError))
    return new Failure(exitCodes.failed, error instanceof Error ? error.message : String(error))
  if (isUnanswered(error) && mayBeMade(error))
    return new Failure(exitCodes.failed, error.message, remedyOf('game_timeout'))
  const hasStatus = error.status !== undefined && error.code !== 'bad_answer'
  const exitCode = hasStatus ? exitCodeOf(error.status ?? 0, error.code) : codesWithoutStatus(error.code)
  const read = v.safeParse(v.object({ cause }), error.body)
  if (!read.success) return new Failure(exitCode, error.message, remedyOf(error.code), error.body)
  const { message, next } = read.output.cause
  return new Failure(exitCode, message, next, error.body)
}

/** Why the game does not serve, of the body of an answer. */
export const cause = v.object({ message: v.string(), next: v.string() })

const isUnanswered = ({ code }: FarmgateError) => code === 'unreachable' || code === 'timeout'

/**
 * A change that was sent and not answered. The client says so; the system's error is more specific when nothing
 * listens.
 */
function mayBeMade({ message, cause }: FarmgateError): boolean {
  const code = cause instanceof Error ? (errorCode(cause.cause) ?? '') : ''
  const isSent = !['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'].includes(code)
  return isSent && message.endsWith('whether the change was made is unknown')
}

const codesWithoutStatus = (code: string): ExitCode => {
  if (code === 'unreachable' || code === 'timeout' || code === 'bad_answer' || code === 'game_unavailable')
    return exitCodes.notReachable
  if (code === 'unauthorized' || code === 'insufficient_scope' || code === 'rate_limited')
    return exitCodes.refused
  if (code === 'invalid_payload' || code === 'message_too_long') return exitCodes.wrongUsage
  return exitCodes.failed
}

/** @param code the `code` of the answer's body */
function exitCodeOf(status: number, code: string): ExitCode {
  if (status === 404) return exitCodes.notFound
  if ([401, 403, 409, 429].includes(status)) return exitCodes.refused
  if ([400, 405, 413, 414, 415, 416, 426, 431].includes(status)) return exitCodes.wrongUsage
  return code === 'game_unavailable' ? exitCodes.notReachable : exitCodes.failed
}
