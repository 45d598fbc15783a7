import { spawnSync } from 'node:child_process'
import { closeSync } from 'node:fs'
import { DownloadError, errorCode } from '../../errors.ts'
import { lockFile } from './file-names.ts'
import type { GameDirectory } from './game-directory.ts'

/** Exit code that `flock` is told to use when another process holds the lock. */
const held = 75

/**
 * Locks the game directory for one download, also across containers that share the volume. The program `flock` locks
 * the open file that it inherits (flock(2)). The lock belongs to that open file, so it stays when `flock` has ended, and
 * the kernel releases it when this process ends in any way. A system without `flock` (macOS, Windows) has no lock.
 *
 * SQLite, which could lock a file too, is not used: it would follow a link at the path of its file, and obey a journal
 * that another program has put beside it, which may name files to delete.
 * @returns the function that releases the lock
 * @throws DownloadError `busy` when another download holds the lock
 */
export function lockDirectory(directory: GameDirectory): () => void {
  const path = directory.shown('')
  const descriptor = directory.openFile(lockFile, 'create')
  const { status, error } = spawnSync('flock', ['-x', '-n', '-E', String(held), '3'], {
    stdio: ['ignore', 'ignore', 'ignore', descriptor],
    // Only this: other variables are secrets.
    env: { PATH: process.env.PATH },
  })
  if (status === 0 || errorCode(error) === 'ENOENT') return () => closeSync(descriptor)
  closeSync(descriptor)
  if (status === held) {
    throw new DownloadError('busy', `another download is at work in ${path}; wait for it to end`)
  }
  throw new DownloadError('storage', `${path}: no lock can be taken there`, { cause: error })
}
