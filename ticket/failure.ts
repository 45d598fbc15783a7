import { exitCodes as common } from '../process/exit-codes.ts'

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

/** An end with a sentence for the person at the keyboard. Thrown by commands, turned into an exit code by `main.ts` alone. */
export class Failure extends Error {
  readonly kind: FailureKind

  constructor(kind: FailureKind, sentence: string, options?: ErrorOptions) {
    super(sentence, options)
    this.name = 'Failure'
    this.kind = kind
  }
}

/** @returns the failure that an unknown error amounts to: a full disk and an abort are told from the rest. */
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

/** @returns an error's `code`, such as `ENOENT`, when it has one. */
export function errorCode(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null
  return typeof error.code === 'string' ? error.code : null
}
