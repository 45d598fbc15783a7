import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DownloadError } from '../../errors.ts'
import { storageError } from '../storage-error.ts'
import { lockFile } from './file-names.ts'

const sqliteBusy = 5

/**
 * Locks the game directory for one download, also across containers that share the volume. SQLite locks its empty file
 * with fcntl, so the kernel releases the lock when the process ends in any way.
 * @returns the function that releases the lock
 * @throws DownloadError `busy` when another download holds the lock
 */
export function lockDirectory(root: string): () => void {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(join(root, lockFile), { timeout: 0 })
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database?.close()
    const result = error instanceof Error && 'errcode' in error ? error.errcode : undefined
    if (result === sqliteBusy) {
      throw new DownloadError('busy', `another download is at work in ${root}; wait for it to end`, {
        cause: error,
      })
    }
    if (result !== undefined) {
      throw new DownloadError('permission', `${root}: no lock can be taken there; is it writable?`, {
        cause: error,
      })
    }
    throw storageError(error, root)
  }
  const held = database
  return () => held.close()
}
