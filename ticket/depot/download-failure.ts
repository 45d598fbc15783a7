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

/** @returns the Failure for a DownloadError; any other error unchanged */
export function downloadFailure(error: unknown): unknown {
  if (!(error instanceof DownloadError)) return error
  return new Failure(failureKinds[error.kind], `Download failed: ${error.message}.`, { cause: error })
}
