import type { DepotFile } from '../format/depot-file.ts'
import type { Survey } from '../plan/plan.ts'
import type { FileState } from '../tree/check-file.ts'
import { partialPath, storedPath } from '../tree/file-names.ts'
import type { GameDirectory, Root } from '../tree/game-directory.ts'
import { needsLoaderFix } from '../tree/loader-fix.ts'
import type { Workers } from '../workers/worker-pool.ts'

/** Maximum files and bytes of one task: large enough to keep a thread busy, small enough to spread the work. */
const batchFiles = 64
const batchBytes = 16 * 2 ** 20
/** Enough for the threads of any processor: each takes two tasks at once. */
const batchesAtOnce = 128

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
  const all = batches(files)
  // A few batches at once: the tasks of all files together would need more memory than the files' entries.
  const checkNext = async (): Promise<void> => {
    for (const batch of all) {
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
        if (state.is !== 'missing') states.set(path, isAllRight(state) ? allRight : state)
        if (inPart !== undefined) parts.set(path, inPart)
      })
      watch(batch.reduce((sum, { size }) => sum + size, 0))
    }
  }
  await Promise.all(Array.from({ length: batchesAtOnce }, checkNext))
  return { states, parts }
}

/** The state of most files, stored once. */
const allRight: FileState = { is: 'good', modeWrong: false, fixMissing: false }

function isAllRight(state: FileState): boolean {
  return state.is === 'good' && !state.modeWrong && !state.fixMissing
}

function* batches(files: readonly DepotFile[]): Generator<DepotFile[]> {
  let batch: DepotFile[] = []
  let bytes = 0
  for (const file of files) {
    batch.push(file)
    bytes += file.size
    if (batch.length < batchFiles && bytes < batchBytes) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}

/** @returns the paths that are files or links below the root now */
export function existing(directory: GameDirectory, paths: readonly string[]): string[] {
  return paths.filter((path) => directory.status(path)?.isDirectory() === false)
}
