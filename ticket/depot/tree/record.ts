import { randomBytes } from 'node:crypto'
import { fchmodSync, fstatSync, fsyncSync } from 'node:fs'
import { readFully, using, writeFully } from '../../../lib/shared-folder/open-file.ts'
import { storageError } from '../storage-error.ts'
import { folderOf, temporaryPath } from './file-names.ts'
import type { GameDirectory } from './game-directory.ts'

/**
 * Reads a marker or list, which another program may have replaced.
 * @param limit bytes
 * @returns its content; `undefined` when it is not a regular file, is unreadable, or is larger than the limit
 */
export function readRecord(directory: GameDirectory, path: string, limit: number): Buffer | undefined {
  try {
    return using(directory.openFile(path, 'read'), (file) => {
      const { size } = fstatSync(file)
      if (size > limit) return undefined
      const bytes = Buffer.alloc(size)
      return bytes.subarray(0, readFully(file, bytes, 0))
    })
  } catch {
    return undefined
  }
}

/** Writes a marker or list atomically: a reader sees the old or the new content. @throws DownloadError */
export function writeRecord(directory: GameDirectory, path: string, content: string): void {
  const folder = folderOf(path)
  directory.makeFolder(folder)
  const temporary = temporaryPath(folder, randomBytes(10).toString('hex'))
  using(directory.openFile(temporary, 'new'), (file) => {
    try {
      writeFully(file, Buffer.from(content), 0)
      fchmodSync(file, 0o644)
      fsyncSync(file)
      directory.rename(temporary, path)
    } catch (error) {
      directory.remove(temporary)
      throw storageError(error, directory.shown(path))
    }
  })
  directory.sync(folder)
}
