import { join } from 'node:path'
import { errorCode } from '../../../lib/error-code.ts'
import { DownloadError } from '../../errors.ts'
import type { Filter } from '../plan/filter.ts'
import type { DepotVersion } from '../platform.ts'
import { contentManifest } from '../tree/file-names.ts'
import { type GameDirectory, openGameDirectory, type Root } from '../tree/game-directory.ts'
import { installedVersion, readMarker } from '../tree/marker.ts'
import { contentManifestMatches, prunedContentManifest } from '../tree/prune-content-manifest.ts'
import type { Context } from './context.ts'
import { inspect } from './inspect.ts'
import { openSource } from './source.ts'

/** One path that a download would change. */
interface Difference {
  readonly path: string
  readonly what:
    | 'missing'
    | 'different'
    | 'not executable'
    | 'loader fix missing'
    | 'not wanted'
    | 'not pruned'
    | 'link'
}

/** Result of `verify` for one directory. */
export interface Verified {
  readonly version: DepotVersion
  readonly files: number
  readonly bytes: number
  readonly differences: readonly Difference[]
  /** Launcher files that a mod loader has replaced: reported, but not as wrong. */
  readonly replaced: readonly string[]
  /** Whether the completion marker is missing. */
  readonly unfinished: boolean
}

/** Compares a directory with the installed version, or the public one when that is not known. @throws DownloadError */
export async function verify(
  { appId, root, filter }: { readonly appId: number; readonly root: Root; readonly filter: Filter },
  context: Context,
): Promise<Verified> {
  const { progress } = context
  const directory = openInstalled(root)
  try {
    progress.phase('connecting', 0)
    const source = await openSource(appId, context, installedVersion(directory, appId))
    const { plan, contentManifest: list } = await inspect(directory, source, filter, {
      ...context,
      force: false,
    })
    const differences: Difference[] = [
      ...plan.missing.map(({ file }) => ({ path: shown(file.path), what: 'missing' as const })),
      ...plan.repair.map(({ file, why }) => ({
        path: shown(file.path),
        what: why === 'loader fix missing' ? ('loader fix missing' as const) : ('different' as const),
      })),
      ...plan.links.map(({ path }) => ({ path, what: 'link' as const })),
      ...plan.directories.map(({ path }) => ({ path, what: 'missing' as const })),
      ...plan.modes.map(({ path }) => ({ path, what: 'not executable' as const })),
      ...plan.delete.map((path) => ({ path, what: 'not wanted' as const })),
    ]
    // A missing file is reported once: the expected list is computed as if it existed.
    const expected = prunedContentManifest(directory, list)
    if (expected !== undefined && !contentManifestMatches(directory, expected)) {
      differences.push({ path: contentManifest, what: 'not pruned' })
    }
    const { version } = source
    return {
      version,
      ...plan.kept,
      differences,
      replaced: plan.replaced,
      unfinished: readMarker(directory, appId) === undefined,
    }
  } finally {
    progress.end()
    directory.close()
  }
}

function openInstalled(root: Root): GameDirectory {
  try {
    return openGameDirectory(root)
  } catch (error) {
    if (!(error instanceof DownloadError) || errorCode(error.cause) !== 'ENOENT') throw error
    const path = join(root.directory, root.folder)
    throw new DownloadError('storage', `${path} is not there; run download first`, { cause: error })
  }
}

/** @returns the path to report. The stored, unpruned content list is reported under the name of the pruned one. */
function shown(path: string): string {
  return path === contentManifest ? `${contentManifest} (as the depot has it)` : path
}
