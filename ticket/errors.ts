import { errorCode } from '../lib/error-code.ts'
import { exitCodes as common } from '../lib/exit-codes.ts'

/**
 * Base of the errors of the ticket service. A handler distinguishes them by class and `kind`. The message is for the
 * operator and contains no secret.
 */
export abstract class TicketError<Kind extends string> extends Error {
  readonly kind: Kind

  constructor(kind: Kind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.kind = kind
  }
}

/** Why a command ends without a result. */
export type FailureKind =
  | 'failed'
  | 'usage'
  | 'environment'
  | 'login_needed'
  | 'not_owned'
  | 'disk_full'
  | 'interrupted'

/** Exit code of each kind; 0 is success. */
export const exitCodes = {
  failed: common.failed,
  usage: common.wrongUsage,
  environment: common.wrongEnvironment,
  login_needed: 3,
  not_owned: 4,
  disk_full: 5,
  interrupted: common.interrupted,
} as const satisfies Record<FailureKind, number>

/** Ends a command with a sentence for the person who ran it. Only command-line.ts turns it into an exit code. */
export class Failure extends TicketError<FailureKind> {}

/** Why a request to Steam failed. */
export type PlatformErrorKind =
  | 'not_logged_in'
  | 'rate_limited'
  | 'refused'
  | 'timeout'
  | 'token_from_environment'

/** A request to Steam failed: there is no session, no answer came in time, or Steam refused. */
export class PlatformError extends TicketError<PlatformErrorKind> {
  /** Steam's name for the result, such as `NoMatch`. */
  readonly result: string | undefined

  constructor(kind: PlatformErrorKind, result?: string) {
    super(kind, result ?? kind)
    this.result = result
  }
}

/**
 * Why there is no session. `rejected`: Steam refused the token or password. `rate_limited`: Steam asks to wait.
 * `unreachable`: no connection, or Steam ended the session. `person_needed`: a person must sign in.
 */
export type LogonErrorKind = 'rejected' | 'rate_limited' | 'unreachable' | 'person_needed'

/** A logon or sign-in failed, or a session ended. */
export class LogonError extends TicketError<LogonErrorKind> {
  /** Steam's name for the result, such as `AccessDenied`. */
  readonly result: string | undefined

  constructor(kind: LogonErrorKind, message: string, result?: string) {
    super(kind, message)
    this.result = result
  }
}

/** Why a download failed. */
export type DownloadErrorKind =
  | 'aborted'
  | 'busy'
  | 'conflict'
  | 'disk_full'
  | 'manifest'
  | 'no_server'
  | 'not_owned'
  | 'permission'
  | 'platform'
  | 'storage'

/** A download failed. The message contains no token and no address with one. */
export class DownloadError extends TicketError<DownloadErrorKind> {}

/** @returns a Failure for any error: `disk_full` for ENOSPC and EDQUOT, `interrupted` for an abort, else `failed`. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error
  const code = errorCode(error)
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new Failure('disk_full', 'The disk is full. Free some space and run the command again.', {
      cause: error,
    })
  }
  if (code === 'ABORT_ERR') return new Failure('interrupted', 'Interrupted.', { cause: error })
  return new Failure('failed', error instanceof Error ? error.message : String(error), { cause: error })
}
