/** Removes the content of a shared folder while another program may write in it. */
import { randomBytes } from 'node:crypto'
import { rename, rmdir, unlink } from 'node:fs/promises'
import { errorCode } from '../error-code.ts'
import { isMissing, NotAFolder } from './access.ts'

/** What a removal needs of an open folder. */
interface FolderToEmpty {
  entries(): AsyncIterable<{ readonly raw: Buffer }>
  /** The address of an entry, for calls of `node:fs`. */
  address(name: string | Buffer): Promise<string | Buffer>
  /** Opens the folder of this name, never through a link. */
  step(name: string | Buffer, action: (folder: FolderToEmpty) => Promise<void>): Promise<void>
}

/** Maximum of entries of one removal: another program could keep adding to a folder. */
export const mostRemoved = 2_000_000
/** Maximum depth of open folders, because each takes a file descriptor; deeper ones are first moved up. */
const deepestOpen = 24
/** Maximum of attempts to empty a folder in which another program keeps writing. */
const mostTries = 20

/** Error codes of `unlink` for a folder: of Linux, and of other systems. */
const isFolder = (error: unknown): boolean => errorCode(error) === 'EISDIR' || errorCode(error) === 'EPERM'

interface Left {
  /** Entries that may still be removed. */
  count: number
}

/**
 * Removes a file, a link, or a folder with its content. Each folder is opened, never through a link, and only the
 * content of the open one is removed.
 * @throws the error of the file system, also when another program keeps adding files
 */
export const removeEntry = (folder: FolderToEmpty, name: string | Buffer, left: Left): Promise<void> =>
  removeIn(folder, name, { left, moved: 0 }, [])

interface Removal {
  readonly left: Left
  /** Folders that were moved up. */
  moved: number
}

/** @param above the open folders from the outermost one that is removed */
async function removeIn(
  folder: FolderToEmpty,
  name: string | Buffer,
  removal: Removal,
  above: readonly FolderToEmpty[],
): Promise<void> {
  const address = await folder.address(name)
  let last: unknown
  for (let tries = 0; tries < mostTries; ) {
    removal.left.count -= 1
    if (removal.left.count < 0) throw endless()
    const refused = await unlink(address).then(
      () => undefined,
      (error: unknown) => error,
    )
    if (refused === undefined || isMissing(refused)) return
    if (!isFolder(refused)) throw refused
    const [outermost] = above
    if (outermost !== undefined && above.length >= deepestOpen) {
      removal.moved += 1
      return rename(address, await outermost.address(randomBytes(12).toString('hex')))
    }
    const { moved } = removal
    try {
      await folder.step(name, async (opened) => {
        for await (const { raw } of opened.entries()) await removeIn(opened, raw, removal, [...above, opened])
      })
      return await rmdir(address)
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return
      if (!isChanged(error)) throw error
      last = error instanceof NotAFolder ? refused : error
    }
    if (moved === removal.moved) tries += 1
  }
  throw last
}

/** Another program has replaced a folder, or put something into it. */
const isChanged = (error: unknown): boolean =>
  error instanceof NotAFolder || ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(errorCode(error) ?? '')

const endless = () =>
  Object.assign(new Error('ENOTEMPTY: another program adds files without end'), { code: 'ENOTEMPTY' })
