import { closeSync } from 'node:fs'
import { lockFile } from '../../../lib/file-lock.ts'
import { DownloadError } from '../../errors.ts'
import { lockName } from './file-names.ts'
import type { GameDirectory } from './game-directory.ts'

/**
 * Locks the game directory for one download. A system without `flock` (macOS, Windows) has no lock.
 * @returns the function that releases the lock
 * @throws DownloadError `busy` when another download holds the lock
 */
export function lockDirectory(directory: GameDirectory): () => void {
  const path = directory.shown('')
  const descriptor = directory.openFile(lockName, 'create')
  try {
    if (lockFile(descriptor) !== 'held') return () => closeSync(descriptor)
  } catch (error) {
    closeSync(descriptor)
    throw new DownloadError('storage', `${path}: no lock can be taken there`, { cause: error })
  }
  closeSync(descriptor)
  throw new DownloadError('busy', `another download is at work in ${path}; wait for it to end`)
}
