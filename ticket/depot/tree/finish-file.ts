import { closeSync, fchmodSync, fstatSync, fsync, ftruncateSync, writeSync } from 'node:fs'
import { promisify } from 'node:util'
import { storageError } from '../storage-error.ts'
import { stackFlag } from './check-file.ts'
import type { GameDirectory } from './game-directory.ts'
import { withoutExecute } from './loader-fix.ts'

/** A partial file that has all its chunks. */
export interface FileToFinish {
  readonly part: string
  /** Its place in the tree. */
  readonly at: string
  readonly size: number
  readonly executable: boolean
  /** Clear the executable-stack flag. */
  readonly loaderFix: boolean
}

const synced = promisify(fsync)

/**
 * Syncs a complete partial file to disk, then renames it to its place.
 * @throws DownloadError whose message names the path, which errors of a file descriptor do not
 */
export async function finishFile(directory: GameDirectory, file: FileToFinish): Promise<void> {
  try {
    await makeDurable(directory, file)
    directory.rename(file.part, file.at)
  } catch (error) {
    throw storageError(error, directory.shown(file.at))
  }
}

async function makeDurable(
  directory: GameDirectory,
  { part, size, executable, loaderFix }: FileToFinish,
): Promise<void> {
  // An empty file has no chunks, so no partial file exists yet.
  const descriptor = directory.openFile(part, size === 0 ? 'create' : 'write')
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
