import { chmod, mkdir, rm, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolder } from '../../../process/atomic-file.ts'
import type { DepotFile } from '../format/manifest.ts'
import type { FileWork } from '../plan/plan.ts'
import { storageError } from '../storage-error.ts'
import { partialPath } from '../tree/file-names.ts'
import { nameFile } from '../tree/finish-file.ts'
import { needsLoaderFix } from '../tree/loader-fix.ts'
import type { Workers } from '../workers/worker-pool.ts'

/** Creates folders, files and links in the target directory. Every method throws DownloadError. */
export interface Writer {
  /** Creates a folder and its parents. */
  directory(at: string): Promise<void>
  /** Syncs complete partial files to disk and renames them to their places. */
  finish(works: readonly FileWork[]): Promise<void>
  link(file: DepotFile): Promise<void>
  /** Sets the executable bit of a file that lacks it. */
  executable(file: DepotFile): Promise<void>
  /** Syncs all changed folders to disk. */
  sync(): Promise<void>
}

/** @param root real path of the target directory */
export function openWriter(root: string, workers: Workers): Writer {
  const touched = new Set<string>()

  const directory = async (at: string): Promise<void> => {
    const first = await mkdir(at, { recursive: true })
    if (first !== undefined) touched.add(dirname(first))
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
    async finish(works) {
      const files = works.map(({ file, part, at }) => ({
        part,
        at,
        size: file.size,
        executable: file.executable,
        loaderFix: needsLoaderFix(file),
      }))
      await workers.run<'finish'>({ do: 'finish', files })
      for (const { at } of works) touched.add(dirname(at))
    },
    link: (file) =>
      guard(file.path, async () => {
        const part = partialPath(root, file.path)
        const at = join(root, file.path)
        await rm(part, { force: true })
        await symlink(file.target, part)
        nameFile(part, at)
        touched.add(dirname(at))
      }),
    executable: (file) => guard(file.path, () => chmod(join(root, file.path), 0o755)),
    async sync() {
      for (const at of touched) await guard(at, () => syncFolder(at))
    },
  }
}
