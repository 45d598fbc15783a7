import { chmod, mkdir, open, rename, rm, rmdir, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncDirectory } from './atomic.ts'
import { DownloadError, storageError } from './errors.ts'
import { needsLoaderFix, stackFlagOffset, withoutExecute } from './loader-fix.ts'
import type { DepotFile } from './manifest.ts'
import { partOf } from './places.ts'
import type { FileWork } from './plan.ts'

/** Puts whole files under their names. */
export interface Writer {
  /** Makes a folder with those above it. */
  directory(at: string): Promise<void>
  /** The partial file is whole: make it durable and give it its name. */
  finish(work: FileWork): Promise<void>
  link(file: DepotFile): Promise<void>
  /** Sets the executable bit of a file that lacks it. */
  executable(file: DepotFile): Promise<void>
  /** Makes all names durable. */
  sync(): Promise<void>
}

export function openWriter(root: string): Writer {
  const touched = new Set<string>()

  const directory = async (at: string): Promise<void> => {
    const first = await mkdir(at, { recursive: true })
    if (first !== undefined) touched.add(dirname(first))
  }

  /** An empty folder gives way to a file; one with the files of others does not. */
  const replaceFolder = async (part: string, at: string): Promise<void> => {
    await rmdir(at).catch((cause) => {
      throw new DownloadError('conflict', `${at}: a folder with other files is where a file must be`, {
        cause,
      })
    })
    await rename(part, at)
  }

  const name = async (part: string, at: string): Promise<void> => {
    await rename(part, at).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EISDIR' || error.code === 'ENOTEMPTY' || error.code === 'EEXIST')
        return replaceFolder(part, at)
      throw error
    })
    touched.add(dirname(at))
  }

  const guard = async (at: string, action: () => Promise<void>): Promise<void> => {
    try {
      await action()
    } catch (error) {
      throw storageError(error, at)
    }
  }

  return {
    directory: (at) => guard(at, () => directory(at)),
    finish: ({ file, part, at }) =>
      guard(at, async () => {
        const handle = await open(part, file.size === 0 ? 'a+' : 'r+', 0o644)
        try {
          await handle.truncate(file.size)
          if (needsLoaderFix(file)) await clearStackFlag(handle)
          await handle.chmod(file.executable ? 0o755 : 0o644)
          await handle.sync()
        } finally {
          await handle.close()
        }
        await name(part, at)
      }),
    link: (file) =>
      guard(file.path, async () => {
        const part = partOf(root, file.path)
        await rm(part, { force: true })
        await symlink(file.target, part)
        await name(part, join(root, file.path))
      }),
    executable: (file) => guard(file.path, () => chmod(join(root, file.path), 0o755)),
    async sync() {
      for (const at of touched) await syncDirectory(at).catch(() => undefined)
    },
  }
}

async function clearStackFlag(handle: Awaited<ReturnType<typeof open>>): Promise<void> {
  const head = Buffer.alloc(4096)
  const { bytesRead } = await handle.read(head, 0, head.length, 0)
  const offset = stackFlagOffset(head.subarray(0, bytesRead))
  if (offset === undefined) return
  const value = head[offset] ?? 0
  await handle.write(Buffer.of(withoutExecute(value)), 0, 1, offset)
}
