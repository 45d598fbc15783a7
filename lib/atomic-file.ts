import { type FileHandle, mkdir, open, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from './error-code.ts'

/** The file system calls of an atomic write; a parameter, so that tests can use a full or failing disk. */
export interface AtomicFileSystem {
  open(path: string, flags: string, mode?: number): Promise<FileHandle>
  rename(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
}

export interface AtomicFileOptions {
  /** The temporary file for the new content, in the same folder. It replaces an existing one. */
  readonly temporary: string
  /** Permission bits of the file. */
  readonly mode: number
  /**
   * Bytes to reserve on the disk at the start, so that content up to this size does not fail later with a full disk.
   */
  readonly reserve?: number
  /** The owner of the file, as far as this process may set it; the mode is then set regardless of the umask. */
  readonly owner?: { readonly uid: number; readonly gid: number }
  readonly fs?: AtomicFileSystem
}

/**
 * Begins to replace a file.
 * @throws the error of the file system, such as `ENOSPC`; the temporary file is removed
 */
export async function openAtomicFile(path: string, options: AtomicFileOptions) {
  const { temporary, mode, reserve = 0, owner, fs = { open, rename, unlink } } = options
  const file = await openNew(temporary, mode, fs)
  const release = async () => {
    await file.close().catch(() => undefined)
    await fs.unlink(temporary).catch(() => undefined)
  }
  const orRelease = async (action: () => Promise<void>) => {
    try {
      await action()
    } catch (error) {
      await release()
      throw error
    }
  }
  if (owner !== undefined) await orRelease(() => give(file, owner, mode))
  if (reserve > 0) {
    await orRelease(async () => {
      await file.write(Buffer.alloc(reserve, ' '), 0, reserve, 0)
      await file.sync()
    })
  }
  return {
    /** Removes the temporary file and keeps the old content. */
    release,
    /** Replaces the old content. After a crash or a power cut the file has the old or the new content, complete. */
    async commit(content: string | Uint8Array) {
      await orRelease(async () => {
        const bytes = Buffer.from(content)
        for (let at = 0; at < bytes.length; )
          at += (await file.write(bytes, at, bytes.length - at, at)).bytesWritten
        if (reserve > 0) await file.truncate(bytes.length)
        await file.sync()
        await file.close()
        await fs.rename(temporary, path)
      })
      await syncFolder(dirname(path), fs)
    },
  }
}

/**
 * Replaces a file that only this user may read, in a folder that is made with its parents.
 * @throws the error of the file system
 */
export async function replacePrivateFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const file = await openAtomicFile(path, { temporary: `${path}.new`, mode: 0o600 })
  await file.commit(text)
}

/** Without the right to change the owner, only the group is set, which its owner may. */
async function give(
  file: FileHandle,
  { uid, gid }: { uid: number; gid: number },
  mode: number,
): Promise<void> {
  const own = await file.stat()
  const to = (user: number) =>
    file.chown(user, gid).then(
      () => true,
      () => false,
    )
  if (own.uid !== uid || own.gid !== gid) (await to(uid)) || (await to(own.uid))
  await file.chmod(mode)
}

async function openNew(path: string, mode: number, fs: AtomicFileSystem): Promise<FileHandle> {
  try {
    return await fs.open(path, 'wx', mode)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    // A killed process left it.
    await fs.unlink(path)
    return await fs.open(path, 'wx', mode)
  }
}

/** Error codes of file systems that cannot sync a folder. */
const cannotSync = new Set(['EINVAL', 'EPERM', 'ENOTSUP', 'ENOSYS'])

/** @returns whether an error of fsync means that the file system cannot sync a folder */
export function cannotSyncFolder(error: unknown): boolean {
  return cannotSync.has(errorCode(error) ?? '')
}

/** Syncs a folder, so that a rename in it survives a power cut; does nothing where the file system cannot. */
export async function syncFolder(path: string, fs: Pick<AtomicFileSystem, 'open'> = { open }): Promise<void> {
  const folder = await fs.open(path, 'r')
  try {
    await folder.sync()
  } catch (error) {
    if (!cannotSyncFolder(error)) throw error
  } finally {
    await folder.close()
  }
}
