import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { cannotSyncFolder } from '../../lib/atomic-file.ts'

/** A folder that the game uses already. */
interface Sibling {
  readonly uid: number
  readonly gid: number
  readonly mode: number
}

/**
 * Flushes a folder and all files in it to the disk, so that after a rename and a power failure no file is missing, and
 * gives them the owner and rights of a sibling, as far as this process may, so that the game can read and write them.
 * @throws the error of the file system
 */
export async function settleFiles(folder: string, sibling: Sibling): Promise<void> {
  for (const path of await readdir(folder, { recursive: true })) await settle(join(folder, path), sibling)
  await settle(folder, sibling)
}

async function settle(path: string, { uid, gid, mode }: Sibling): Promise<void> {
  const file = await open(path, 'r')
  try {
    const isFolder = (await file.stat()).isDirectory()
    await file.chown(uid, gid).catch(() => undefined)
    await file.chmod(mode & (isFolder ? 0o777 : 0o666)).catch(() => undefined)
    await file.sync()
  } catch (error) {
    if (!cannotSyncFolder(error)) throw error
  } finally {
    await file.close()
  }
}
