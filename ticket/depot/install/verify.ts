import { stat } from 'node:fs/promises'
import { DownloadError } from '../../errors.ts'
import type { Filter } from '../plan/filter.ts'
import type { DepotVersion } from '../platform.ts'
import { contentManifest } from '../tree/file-names.ts'
import { readMarker } from '../tree/marker.ts'
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

/** Result of the check of one directory. */
export interface Verified {
  readonly version: DepotVersion
  readonly files: number
  readonly bytes: number
  readonly differences: readonly Difference[]
  /** Launcher files that a mod loader has replaced: reported, not wrong. */
  readonly replaced: readonly string[]
  /** Whether the completion marker is missing. */
  readonly unfinished: boolean
}

/** Compares a directory with the version that its marker names, or the public one. @throws DownloadError */
export async function verify(
  {
    appId,
    directory,
    filter,
  }: { readonly appId: number; readonly directory: string; readonly filter: Filter },
  context: Context,
): Promise<Verified> {
  const { progress } = context
  await stat(directory).catch((cause) => {
    throw new DownloadError('storage', `${directory} is not there; run download first`, { cause })
  })
  try {
    progress.phase('connecting', 0)
    const marker = await readMarker(directory, appId)
    const source = await openSource(appId, context, marker?.manifestId)
    const { root, plan } = await inspect(directory, source, filter, { ...context, force: false })
    const differences: Difference[] = [
      ...plan.fetch.map(({ file }) => ({ path: shown(file.path), what: 'missing' as const })),
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
    const expected = await prunedContentManifest(root, (path) =>
      plan.written.has(path) ? true : plan.delete.includes(path) ? false : undefined,
    )
    if (expected !== undefined && !(await contentManifestMatches(root, expected))) {
      differences.push({ path: contentManifest, what: 'not pruned' })
    }
    const { version } = source
    return { version, ...plan.kept, differences, replaced: plan.replaced, unfinished: marker === undefined }
  } finally {
    progress.end()
  }
}

/** @returns the path to report. The stored, unpruned content list is reported under the name of the pruned one. */
function shown(path: string): string {
  return path === contentManifest ? `${contentManifest} (as the depot has it)` : path
}
