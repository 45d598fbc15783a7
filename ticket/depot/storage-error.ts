import { errorCode } from '../../lib/error-code.ts'
import { NotAFolder, NotRegular } from '../../lib/shared-folder/access.ts'
import { DownloadError, type DownloadErrorKind } from '../errors.ts'
import { printable } from './format/safe-path.ts'

const kindOfCode: Readonly<Record<string, DownloadErrorKind>> = {
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EFBIG: 'disk_full',
  EACCES: 'permission',
  EPERM: 'permission',
  EROFS: 'permission',
}

const sentences: Readonly<Partial<Record<DownloadErrorKind, string>>> = {
  disk_full: 'the disk is full; make room and run the command again, it continues where it stopped',
  permission: 'no permission to write there; the game directory must belong to the user of this service',
}

/** @returns a DownloadError for an error of the file system or of its content; any other error unchanged */
export function storageError(cause: unknown, path: string): unknown {
  if (cause instanceof NotAFolder)
    return new DownloadError(
      'conflict',
      `${printable(cause.path)} is a link or a file where a folder must be; remove it first`,
      { cause },
    )
  if (cause instanceof NotRegular)
    return new DownloadError('conflict', `${path}: ${cause.message}; remove it first`, { cause })
  if (cause instanceof DownloadError || !(cause instanceof Error)) return cause
  const code = errorCode(cause)
  if (code === undefined || !/^E[A-Z0-9]+$/.test(code)) return cause
  const kind = kindOfCode[code] ?? 'storage'
  return new DownloadError(kind, `${path}: ${sentences[kind] ?? meaningOf(cause)} (${code})`, { cause })
}

/** @returns `no such file or directory` of `ENOENT: no such file or directory, open '/proc/self/fd/3/a'` */
function meaningOf({ message }: Error): string {
  return /^E[A-Z0-9]+: ([^,]+)/.exec(message)?.[1] ?? message
}
