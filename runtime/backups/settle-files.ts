import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { cannotSyncFolder } from '../../process/atomic-file.ts'

interface Owner {
  readonly uid: number
  readonly gid: number
}

/**
 * Flushes a folder with all that is in it to the disk, so that a rename after it never shows less than all of it, and
 * gives it to the owner as far as this process may.
 * @throws the error of the file system
 */
export async function settleFiles(folder: string, owner: Owner): Promise<void> {
  for (const path of await readdir(folder, { recursive: true })) await settle(join(folder, path), owner)
  await settle(folder, owner)
}

async function settle(path: string, { uid, gid }: Owner): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.chown(uid, gid).catch(() => undefined)
    await file.sync()
  } catch (error) {
    if (!cannotSyncFolder(error)) throw error
  } finally {
    await file.close()
  }
}
