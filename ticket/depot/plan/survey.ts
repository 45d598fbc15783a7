import type { DepotFile } from '../format/manifest.ts'
import type { FileState } from '../tree/check-file.ts'
import { partialPath, storedPath } from '../tree/file-names.ts'
import type { GameDirectory, Root } from '../tree/game-directory.ts'
import { needsLoaderFix } from '../tree/loader-fix.ts'
import type { Workers } from '../workers/worker-pool.ts'

/** Maximum files and bytes of one task: large enough to keep a thread busy, small enough to spread the work. */
const batchFiles = 64
const batchBytes = 16 * 2 ** 20

/** State on disk of a manifest's files, and of partial files that an earlier run left. */
export interface Survey {
  readonly states: ReadonlyMap<string, FileState>
  /** For files that are not good: which chunks their partial file has. */
  readonly parts: ReadonlyMap<string, readonly boolean[]>
}

/**
 * Checks files chunk by chunk on all threads. Changes nothing.
 * @param watch called with the bytes of each checked batch
 */
export async function survey(
  root: Root,
  files: readonly DepotFile[],
  workers: Workers,
  watch: (bytes: number) => void,
): Promise<Survey> {
  const states = new Map<string, FileState>()
  const parts = new Map<string, readonly boolean[]>()
  await Promise.all(
    batches(files).map(async (batch) => {
      const found = await workers.run<'check'>({
        do: 'check',
        root,
        files: batch.map((file) => ({
          at: storedPath(file.path),
          part: partialPath(file.path),
          file,
          loaderFix: needsLoaderFix(file),
        })),
      })
      found.forEach(({ state, inPart }, index) => {
        const path = batch[index]?.path
        if (path === undefined) return
        states.set(path, state)
        if (inPart !== undefined) parts.set(path, inPart)
      })
      watch(batch.reduce((sum, { size }) => sum + size, 0))
    }),
  )
  return { states, parts }
}

function batches(files: readonly DepotFile[]): DepotFile[][] {
  const all: DepotFile[][] = []
  let last: DepotFile[] = []
  let bytes = 0
  for (const file of files) {
    if (last.length === 0 || last.length >= batchFiles || bytes >= batchBytes) {
      last = []
      bytes = 0
      all.push(last)
    }
    last.push(file)
    bytes += file.size
  }
  return all
}

/** @returns the paths that are files or links below the root now */
export function existing(directory: GameDirectory, paths: readonly string[]): string[] {
  return paths.filter((path) => directory.status(path)?.isDirectory() === false)
}
