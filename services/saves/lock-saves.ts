import { lockFile } from '../../lib/file-lock.ts'
import { isMissing } from '../../lib/shared-folder/access.ts'
import { inSharedFolder } from '../../lib/shared-folder/shared-folder.ts'

/** Another process restores or imports a save; the message is a sentence for the operator. */
export class SavesInUse extends Error {
  override readonly name = 'SavesInUse'
  constructor() {
    super(
      'Another process has locked the folder Saves, as a restore and an import do: try again when it has ended',
    )
  }
}

/**
 * Runs changes of saves one at a time over all processes. The lock is on the operator's folder, because the game can
 * replace `Saves` below it, and ends with the process. A system or a file system without locks has none.
 * @param dir `SAVES_DIR`
 * @throws {SavesInUse} @throws the errors of the action
 */
export async function whileLocked<Result>(dir: string, action: () => Promise<Result>): Promise<Result> {
  const folder = await inSharedFolder(dir, (top) => top.openSelf()).catch((error: unknown) => {
    // The action reports what is missing.
    if (!isMissing(error)) throw error
  })
  try {
    if (folder !== undefined && isHeld(folder.fd)) throw new SavesInUse()
    return await action()
  } finally {
    await folder?.close()
  }
}

function isHeld(descriptor: number): boolean {
  try {
    return lockFile(descriptor) === 'held'
  } catch {
    return false
  }
}
