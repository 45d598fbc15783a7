import { dirname, join } from 'node:path'
import { openAtomicFile } from '../../../process/atomic-file.ts'
import { ownPrefix } from '../format/safe-path.ts'
import { storageError } from '../storage-error.ts'

/** Writes a marker or list atomically: a reader sees the old or the new content. @throws DownloadError */
export async function writeRecord(path: string, content: string): Promise<void> {
  try {
    const temporary = join(dirname(path), `${ownPrefix}new`)
    await (await openAtomicFile(path, { temporary, mode: 0o644 })).commit(content)
  } catch (error) {
    throw storageError(error, path)
  }
}
