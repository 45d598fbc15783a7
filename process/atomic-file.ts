import { type FileHandle, open, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'

/** What an atomic write needs of a file system; a parameter, so that a full or failing disk can be put under it. */
export interface AtomicFileSystem {
  open(path: string, flags: string, mode?: number): Promise<FileHandle>
  rename(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
}

export interface AtomicFileOptions {
  /** Where the new content is written first: in the same folder. What lies there is overwritten. */
  readonly temporary: string
  /** Permission bits of the file. */
  readonly mode: number
  /** Bytes to take on the disk at once, so that content up to this size cannot fail for want of room later. */
  readonly reserve?: number
  readonly fs?: AtomicFileSystem
}

/** A file that is about to be replaced. */
export interface AtomicFile {
  /** Puts the content in the place of the old one. A crash or a power cut leaves the one or the other, whole. */
  commit(content: string | Uint8Array): Promise<void>
  /** Gives it up: the old content stays. */
  release(): Promise<void>
}

/**
 * Begins to replace a file.
 * @throws what the file system says, such as `ENOSPC`; nothing is left behind then
 */
export async function openAtomicFile(path: string, options: AtomicFileOptions): Promise<AtomicFile> {
  const { temporary, mode, reserve = 0, fs = { open, rename, unlink } } = options
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
  if (reserve > 0) {
    await orRelease(async () => {
      await file.write(Buffer.alloc(reserve, ' '), 0, reserve, 0)
      await file.sync()
    })
  }
  return {
    release,
    async commit(content) {
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

async function openNew(path: string, mode: number, fs: AtomicFileSystem): Promise<FileHandle> {
  try {
    return await fs.open(path, 'wx', mode)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    // A process that was killed has left it.
    await fs.unlink(path)
    return await fs.open(path, 'wx', mode)
  }
}

/** What a file system says that cannot do this for a folder. */
const cannotSync = new Set(['EINVAL', 'EPERM', 'ENOTSUP', 'ENOSYS'])

/** Makes the names in a folder durable, where the file system can. */
export async function syncFolder(path: string, fs: Pick<AtomicFileSystem, 'open'> = { open }): Promise<void> {
  const folder = await fs.open(path, 'r')
  try {
    await folder.sync()
  } catch (error) {
    const cannot = error instanceof Error && 'code' in error && cannotSync.has(String(error.code))
    if (!cannot) throw error
  } finally {
    await folder.close()
  }
}
