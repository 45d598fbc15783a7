import { DownloadError } from '../../errors.ts'
import { type Filter, unmatchedPatterns } from '../plan/filter.ts'
import { applyFilter, makePlan, mayBeReplaced, type Plan } from '../plan/plan.ts'
import type { DepotVersion } from '../platform.ts'
import { contentManifest, isReplaceable } from '../tree/file-names.ts'
import { checkFolders } from '../tree/folders.ts'
import type { GameDirectory } from '../tree/game-directory.ts'
import { installedVersion } from '../tree/marker.ts'
import type { ContentManifestParts } from '../tree/prune-content-manifest.ts'
import { readWrittenFiles, type WrittenFiles } from '../tree/written-files.ts'
import type { Context } from './context.ts'
import { openSource, type Source } from './source.ts'
import { existing, survey } from './survey.ts'

/** Milliseconds. A version that Steam no longer delivers must not delay the update to the next one. */
const giveUpAfter = 20_000

/**
 * The files that mod loaders replace, as the installed version had them. For a directory without the list of written
 * files, such as one of the existing sidecar: its marker names the version.
 * @returns path and SHA-1 of each; none when no version is named, it is the new one, or Steam does not give it out
 */
async function launcherVersions(
  directory: GameDirectory,
  { appId, manifestId }: DepotVersion,
  context: Context,
): Promise<WrittenFiles> {
  const installed = installedVersion(directory, appId)
  if (installed === undefined || installed === manifestId) return new Map()
  try {
    const retries = { ...context.retries, giveUpAfter: Math.min(giveUpAfter, context.retries.giveUpAfter) }
    const { manifest } = await openSource(appId, { ...context, retries }, installed)
    const launchers = manifest.files.filter(({ path }) => isReplaceable(path))
    return new Map(launchers.map(({ path, sha }) => [path, sha]))
  } catch (error) {
    context.signal.throwIfAborted()
    if (!(error instanceof DownloadError)) throw error
    context.progress.say(
      `The manifest of the installed version ${installed} could not be read (${error.message}). Files that a mod loader replaces are left as they are; FORCE_REDOWNLOAD=1 writes them.`,
    )
    return new Map()
  }
}

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
