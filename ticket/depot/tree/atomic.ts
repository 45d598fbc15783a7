import { open, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ownPrefix } from '../format/safe-path.ts'
import { storageError } from '../storage-error.ts'

/** Writes a small file so that a reader sees the old or the new one, whole, even after a power cut. */
export async function writeAtomic(path: string, content: string | Buffer): Promise<void> {
  const temporary = join(dirname(path), `${ownPrefix}new`)
  try {
    const file = await open(temporary, 'w', 0o644)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
    await syncDirectory(dirname(path))
  } catch (error) {
    throw storageError(error, path)
  }
}

/** What a file system says that cannot do this for a folder. */
const cannotSync = new Set(['EINVAL', 'ENOTSUP', 'ENOSYS'])

/** Makes renames in a folder durable, where the file system can. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } catch (error) {
    const cannot = error instanceof Error && 'code' in error && cannotSync.has(String(error.code))
    if (!cannot) throw error
  } finally {
    await directory.close()
  }
}
