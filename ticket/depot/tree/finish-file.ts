import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsync,
  ftruncateSync,
  openSync,
  renameSync,
  rmdirSync,
  writeSync,
} from 'node:fs'
import { promisify } from 'node:util'
import { DownloadError } from '../../errors.ts'
import { storageError } from '../storage-error.ts'
import { stackFlag } from './check-file.ts'
import { withoutExecute } from './loader-fix.ts'

/** A partial file that has all its chunks. */
export interface FileToFinish {
  /** Absolute path of the partial file. */
  readonly part: string
  /** Absolute path of its place in the tree. */
  readonly at: string
  readonly size: number
  readonly executable: boolean
  /** Clear the executable-stack flag. */
  readonly loaderFix: boolean
}

const synced = promisify(fsync)

/** Error codes of `rename` when the target is a folder. */
const folderInTheWay = new Set(['EISDIR', 'ENOTEMPTY', 'EEXIST'])

/**
 * Syncs a complete partial file to disk, then renames it to its place.
 * @throws DownloadError whose message names the path, which errors of a file descriptor do not
 */
export async function finishFile(file: FileToFinish): Promise<void> {
  try {
    await makeDurable(file)
    nameFile(file.part, file.at)
  } catch (error) {
    throw storageError(error, file.at)
  }
}

async function makeDurable({ part, size, executable, loaderFix }: FileToFinish): Promise<void> {
  // An empty file has no chunks, so no partial file exists yet.
  const create = size === 0 ? constants.O_CREAT : 0
  const descriptor = openSync(part, constants.O_RDWR | constants.O_NOFOLLOW | create, 0o644)
  try {
    const stat = fstatSync(descriptor)
    if (stat.size !== size) ftruncateSync(descriptor, size)
    const flag = loaderFix ? stackFlag(descriptor) : undefined
    if (flag !== undefined) writeSync(descriptor, Buffer.of(withoutExecute(flag.value)), 0, 1, flag.offset)
    const mode = executable ? 0o755 : 0o644
    if ((stat.mode & 0o7777) !== mode) fchmodSync(descriptor, mode)
    await synced(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Renames a partial file to its place. An empty folder there is removed.
 * @throws DownloadError `conflict` when the folder contains files
 */
export function nameFile(part: string, at: string): void {
  try {
    renameSync(part, at)
    return
  } catch (error) {
    const inTheWay = error instanceof Error && 'code' in error && folderInTheWay.has(String(error.code))
    if (!inTheWay) throw error
  }
  try {
    rmdirSync(at)
  } catch (cause) {
    throw new DownloadError('conflict', `${at}: a folder with other files is where a file must be`, { cause })
  }
  renameSync(part, at)
}
