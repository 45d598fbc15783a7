import { DownloadError, type DownloadProblem } from '../errors.ts'

/** An error as it passes between threads: classes do not. */
export interface Refusal {
  /** `undefined`: nothing that a download knows of. */
  readonly problem: DownloadProblem | undefined
  readonly message: string
}

export function refusalOf(error: unknown): Refusal {
  return {
    problem: error instanceof DownloadError ? error.problem : undefined,
    message: error instanceof Error ? error.message : String(error),
  }
}

export function errorOf({ problem, message }: Refusal): Error {
  return problem === undefined ? new Error(message) : new DownloadError(problem, message)
}
