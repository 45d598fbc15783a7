import { realpath } from 'node:fs/promises'
import type { Filter } from '../plan/filter.ts'
import { applyFilter, makePlan, type Plan } from '../plan/plan.ts'
import { existing, survey } from '../plan/survey.ts'
import { checkFolders } from '../tree/folders.ts'
import { readWrittenFiles, type WrittenFiles } from '../tree/written-files.ts'
import type { Context } from './context.ts'
import type { Source } from './source.ts'

/** Result of the comparison of a directory with a manifest. */
export interface Inspection {
  /** Its real path, links followed. */
  readonly root: string
  readonly plan: Plan
  /** Files that earlier runs wrote; `undefined` when the list is missing or damaged. */
  readonly written: WrittenFiles | undefined
}

/** Compares a directory with a manifest, chunk by chunk, and plans the repair. @throws DownloadError */
export async function inspect(
  directory: string,
  { manifest }: Source,
  filter: Filter,
  context: Context,
): Promise<Inspection> {
  const { workers, progress, force } = context
  const root = await realpath(directory)
  const { kept, leftOut } = applyFilter(manifest, filter)
  const written = await readWrittenFiles(root)
  const wanted = new Set(kept.filter(({ kind }) => kind !== 'directory').map(({ path }) => path))
  const unwanted = [...(written?.keys() ?? [])].filter((path) => !wanted.has(path))
  const stale = await existing(root, unwanted)
  const toDelete = new Set(stale)
  await checkFolders(
    root,
    kept.map(({ path }) => path),
    (path) => toDelete.has(path),
  )
  progress.phase(
    'checking',
    kept.reduce((sum, { size }) => sum + size, 0),
  )
  const found = await survey(root, kept, workers, (bytes) => progress.advance(bytes))
  return { root, written, plan: makePlan({ root, kept, leftOut, survey: found, written, stale, force }) }
}
