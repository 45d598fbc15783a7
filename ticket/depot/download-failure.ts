import { DownloadError, type DownloadErrorKind, Failure, type FailureKind } from '../errors.ts'

const failureKinds: Readonly<Record<DownloadErrorKind, FailureKind>> = {
  aborted: 'interrupted',
  busy: 'failed',
  conflict: 'failed',
  disk_full: 'disk_full',
  manifest: 'failed',
  no_server: 'failed',
  not_owned: 'not_owned',
  permission: 'failed',
  platform: 'failed',
  storage: 'failed',
}

/** @param command the command that failed: `Download`, `Check` */
export function downloadFailure(command: string, error: unknown): unknown {
  if (!(error instanceof DownloadError)) return error
  return new Failure(failureKinds[error.kind], `${command} failed: ${error.message}.`, { cause: error })
}
