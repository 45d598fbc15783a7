import { Failure, type FailureKind } from '../failure.ts'
import { DownloadError, type DownloadProblem } from './errors.ts'

const failureKinds: Readonly<Record<DownloadProblem, FailureKind>> = {
  aborted: 'interrupted',
  busy: 'failed',
  conflict: 'failed',
  'disk-full': 'disk_full',
  manifest: 'failed',
  'no-server': 'failed',
  'not-owned': 'not_owned',
  permission: 'failed',
  platform: 'failed',
  storage: 'failed',
}

/** The end of a command whose download failed, with its exit code. */
export function downloadFailure(error: unknown): unknown {
  if (!(error instanceof DownloadError)) return error
  return new Failure(failureKinds[error.problem], `Download failed: ${error.message}.`, { cause: error })
}
