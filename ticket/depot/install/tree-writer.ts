import type { DepotFile } from '../format/depot-file.ts'
import type { FileWork } from '../plan/plan.ts'
import { folderOf, partialPath } from '../tree/file-names.ts'
import type { GameDirectory } from '../tree/game-directory.ts'
import { needsLoaderFix } from '../tree/loader-fix.ts'
import type { Workers } from '../workers/worker-pool.ts'

/** Creates folders, files and links in the target directory. Every method throws DownloadError. */
export interface Writer {
  /** Creates a folder and its parents. */
  directory(path: string): void
  /** Syncs complete partial files of a queue of chunks to disk and renames them to their places. */
  finish(works: readonly FileWork[], queue: number): Promise<void>
  link(file: DepotFile): void
  /** Sets the executable bits of a file that lacks one. */
  executable(file: DepotFile): void
  /** Syncs all changed folders to disk. */
  sync(): void
}

export function openWriter(directory: GameDirectory, workers: Workers): Writer {
  const touched = new Set<string>()
  return {
    directory(path) {
      for (const folder of directory.makeFolder(path)) touched.add(folder)
    },
    async finish(works, queue) {
      const files = works.map(({ file, at }) => ({
        part: partialPath(at),
        at,
        size: file.size,
        executable: file.executable,
        loaderFix: needsLoaderFix(file),
      }))
      await workers.run<'finish'>({ do: 'finish', root: directory.root, queue, files })
      for (const { at } of works) touched.add(folderOf(at))
    },
    link({ path, target }) {
      const part = partialPath(path)
      directory.remove(part)
      directory.symlink(target, part)
      directory.rename(part, path)
      touched.add(folderOf(path))
    },
    executable: ({ path }) => directory.makeExecutable(path),
    sync() {
      for (const folder of touched) directory.sync(folder)
    },
  }
}
