/** Why a download ended without a whole tree. The command maps each to an exit code. */
export type DownloadProblem =
  | 'aborted'
  | 'busy'
  | 'conflict'
  | 'disk-full'
  | 'manifest'
  | 'no-server'
  | 'not-owned'
  | 'permission'
  | 'platform'
  | 'storage'

/** A download's failure, in words for the operator; they never hold a token or an address with one. */
export class DownloadError extends Error {
  readonly problem: DownloadProblem

  constructor(problem: DownloadProblem, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'DownloadError'
    this.problem = problem
  }
}

const problemOfCode: Readonly<Record<string, DownloadProblem>> = {
  ENOSPC: 'disk-full',
  EDQUOT: 'disk-full',
  EFBIG: 'disk-full',
  EACCES: 'permission',
  EPERM: 'permission',
  EROFS: 'permission',
}

const problemWords: Readonly<Partial<Record<DownloadProblem, string>>> = {
  'disk-full': 'the disk is full; make room and run the command again, it goes on where it stopped',
  permission: 'no permission to write there; the game directory must belong to the user of this service',
}

/** Gives a file system failure its problem and words; anything else passes unchanged. */
export function storageError(cause: unknown, path: string): unknown {
  if (cause instanceof DownloadError || !(cause instanceof Error) || !('code' in cause)) return cause
  const code = String(cause.code)
  if (!/^E[A-Z0-9]+$/.test(code)) return cause
  const problem = problemOfCode[code] ?? 'storage'
  return new DownloadError(problem, `${path}: ${problemWords[problem] ?? cause.message} (${code})`, { cause })
}
