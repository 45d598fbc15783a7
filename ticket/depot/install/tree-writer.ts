import type { DepotFile } from '../format/depot-file.ts'
import type { FileWork } from '../plan/plan.ts'
import { folderOf, partialPath } from '../tree/file-names.ts'
import type { GameDirectory } from '../tree/game-directory.ts'
import { needsLoaderFix } from '../tree/loader-fix.ts'
import type { Workers } from '../workers/worker-pool.ts'

/** Creates folders, files and links in the target directory. Every method throws DownloadError. */
export type Writer = ReturnType<typeof openWriter>

export function openWriter(directory: GameDirectory, workers: Workers) {
  const touched = new Set<string>()
  return {
    /** Creates a folder and its parents. */
    directory(path: string) {
      for (const folder of directory.makeFolder(path)) touched.add(folder)
    },
    /** Syncs complete partial files of a queue of chunks to disk and renames them to their places. */
    async finish(works: readonly FileWork[], queue: number): Promise<void> {
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
    link({ path, target }: DepotFile) {
      const part = partialPath(path)
      directory.remove(part)
      directory.symlink(target, part)
      directory.rename(part, path)
      touched.add(folderOf(path))
    },
    /** Sets the executable bits of a file that lacks one. */
    executable: ({ path }: DepotFile) => directory.makeExecutable(path),
    /** Syncs all changed folders to disk. */
    sync() {
      for (const folder of touched) directory.sync(folder)
    },
  }
}
