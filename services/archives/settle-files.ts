/** Gives new files to the game, and flushes them to the disk. */
import type { BigIntStats, Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { cannotSyncFolder } from '../../lib/atomic-file.ts'
import type { SharedFolder } from '../../lib/shared-folder/shared-folder.ts'

/** The owner of a folder that the game already uses, and its rights. */
export type Sibling = ReturnType<typeof siblingOf>

/** The game could not write to the new files. */
export class NotWritable extends Error {
  override readonly name = 'NotWritable'
  /** The game's user. */
  readonly uid: number
  constructor(uid: number) {
    super(`the user ${uid} could not write to it`)
    this.uid = uid
  }
}

export const siblingOf = ({ uid, gid, mode }: BigIntStats) => ({
  uid: Number(uid),
  gid: Number(gid),
  mode: Number(mode),
})

/**
 * Flushes a folder with its content to the disk, so that after a rename and a power failure no file is missing, and
 * gives the files the owner and rights of a sibling. Where farmgate may not give files to another user it gives them
 * to the group, with the rights of their owner.
 * @throws {NotWritable} when the sibling's user could still not write to one of them
 * @throws {NotRegular} for what another program has put in, such as a hard link to a file of another folder
 * @throws the error of the file system
 */
export async function settleFiles(folder: SharedFolder, sibling: Sibling): Promise<void> {
  for await (const { raw, kind } of folder.entries()) {
    if (kind === 'folder') await folder.within(raw, (below) => settleFiles(below, sibling))
    else await settle(await folder.open(raw, 'write'), sibling)
  }
  await settle(await folder.openSelf(), sibling)
}

async function settle(file: FileHandle, sibling: Sibling): Promise<void> {
  try {
    await give(file, sibling)
    const found = await file.stat()
    if (!mayWrite(found, sibling)) throw new NotWritable(sibling.uid)
    await file.sync()
  } catch (error) {
    if (!cannotSyncFolder(error)) throw error
  } finally {
    await file.close()
  }
}

async function give(file: FileHandle, { uid, gid, mode }: Sibling): Promise<void> {
  const before = await file.stat()
  const may = (change: Promise<void>) =>
    change.then(
      () => true,
      () => false,
    )
  const isGiven = (before.uid === uid && before.gid === gid) || (await may(file.chown(uid, gid)))
  // The owner of a file may give it to a group that is also the owner's.
  const isByGroup = !isGiven && (before.gid === gid || (await may(file.chown(before.uid, gid))))
  const rights = mode & (before.isDirectory() ? 0o777 : 0o666)
  await may(file.chmod(isByGroup ? rights | ((rights & 0o700) >> 3) : rights))
}

/** Whether the user and the group of a sibling may read and write a file, or a folder and its content. */
function mayWrite(found: Stats, { uid, gid }: Sibling): boolean {
  const needed = found.isDirectory() ? 0o7 : 0o6
  const allowed = (shift: number) => ((found.mode >> shift) & needed) === needed
  if (uid === 0) return true
  if (found.uid === uid) return allowed(6)
  return found.gid === gid ? allowed(3) : allowed(0)
}
