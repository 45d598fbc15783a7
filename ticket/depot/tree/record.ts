import { randomBytes } from 'node:crypto'
import { closeSync, fchmodSync, fstatSync, fsyncSync, writeFileSync } from 'node:fs'
import { storageError } from '../storage-error.ts'
import { folderOf, temporaryPath } from './file-names.ts'
import type { GameDirectory } from './game-directory.ts'
import { readFully } from './read-fully.ts'

/**
 * Reads a marker or list, which another program may have replaced.
 * @param limit bytes
 * @returns its content; `undefined` when it is no regular file, cannot be read, or is larger than the limit
 */
export function readRecord(directory: GameDirectory, path: string, limit: number): Buffer | undefined {
  let descriptor: number | undefined
  try {
    descriptor = directory.openFile(path, 'read')
    const { size } = fstatSync(descriptor)
    if (size > limit) return undefined
    const bytes = Buffer.alloc(size)
    return bytes.subarray(0, readFully(descriptor, bytes, 0))
  } catch {
    return undefined
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** Writes a marker or list atomically: a reader sees the old or the new content. @throws DownloadError */
export function writeRecord(directory: GameDirectory, path: string, content: string): void {
  const folder = folderOf(path)
  directory.makeFolder(folder)
  const temporary = temporaryPath(folder, randomBytes(10).toString('hex'))
  const descriptor = directory.openFile(temporary, 'new')
  try {
    writeFileSync(descriptor, content)
    fchmodSync(descriptor, 0o644)
    fsyncSync(descriptor)
    directory.rename(temporary, path)
  } catch (error) {
    directory.remove(temporary)
    throw storageError(error, directory.shown(path))
  } finally {
    closeSync(descriptor)
  }
  directory.sync(folder)
}
