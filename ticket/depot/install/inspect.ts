import { type Filter, unmatchedPatterns } from '../plan/filter.ts'
import { applyFilter, makePlan, mayBeReplaced, type Plan } from '../plan/plan.ts'
import { existing, survey } from '../plan/survey.ts'
import { contentManifest } from '../tree/file-names.ts'
import { checkFolders } from '../tree/folders.ts'
import type { GameDirectory } from '../tree/game-directory.ts'
import type { ContentManifestParts } from '../tree/prune-content-manifest.ts'
import { readWrittenFiles, type WrittenFiles } from '../tree/written-files.ts'
import type { Context } from './context.ts'
import { launcherVersions } from './launcher-versions.ts'
import type { Source } from './source.ts'

/** Result of the comparison of a directory with a manifest. */
export interface Inspection {
  readonly plan: Plan
  /** Files that earlier runs wrote; `undefined` when the list is missing or damaged. */
  readonly written: WrittenFiles | undefined
  /** What is known of the installed versions: `written`, or without it only the files that mod loaders replace. */
  readonly before: WrittenFiles
  readonly contentManifest: ContentManifestParts
}

/** Compares a directory with a manifest, chunk by chunk, and plans the repair. @throws DownloadError */
export async function inspect(
  directory: GameDirectory,
  { version, manifest }: Source,
  filter: Filter,
  context: Context,
): Promise<Inspection> {
  const { workers, progress, force } = context
  const { kept, leftOut } = applyFilter(manifest, filter)
  const unmatched = unmatchedPatterns(
    filter,
    manifest.files.map(({ path }) => path),
  )
  if (unmatched.length > 0)
    progress.warn(`DOWNLOAD_EXCLUDE: no file of the game matches ${unmatched.join(', ')}`)
  const written = readWrittenFiles(directory)
  const wanted = new Set(kept.filter(({ kind }) => kind !== 'directory').map(({ path }) => path))
  const unwanted = [...(written?.keys() ?? [])].filter((path) => !wanted.has(path))
  const stale = existing(directory, unwanted)
  const toDelete = new Set(stale)
  checkFolders(
    directory,
    kept.map(({ path }) => path),
    (path) => toDelete.has(path),
  )
  progress.phase(
    'checking',
    kept.reduce((sum, { size }) => sum + size, 0),
  )
  const found = await survey(directory.root, kept, workers, (bytes) => progress.advance(bytes))
  const asked = written === undefined && kept.some((file) => mayBeReplaced(file, found.states.get(file.path)))
  const before = written ?? (asked ? await launcherVersions(directory, version, context) : new Map())
  return {
    written,
    before,
    plan: makePlan({ kept, leftOut, survey: found, before, stale, force }),
    contentManifest: {
      file: kept.find(({ path, kind }) => path === contentManifest && kind === 'file'),
      planned: (path) => (wanted.has(path) ? true : toDelete.has(path) ? false : undefined),
    },
  }
}
