import { DownloadError } from '../../errors.ts'
import type { DepotVersion } from '../platform.ts'
import { isReplaceable } from '../tree/file-names.ts'
import type { GameDirectory } from '../tree/game-directory.ts'
import { readMarker } from '../tree/marker.ts'
import type { WrittenFiles } from '../tree/written-files.ts'
import type { Context } from './context.ts'
import { openSource } from './source.ts'

/** Milliseconds. A version that Steam no longer delivers must not delay the update to the next one. */
const giveUpAfter = 20_000

/**
 * The files that mod loaders replace, as the installed version had them. For a directory without the list of written
 * files, such as one of the existing sidecar: its marker names the version.
 * @returns path and SHA-1 of each; none when no version is named, it is the new one, or Steam does not give it out
 */
export async function launcherVersions(
  directory: GameDirectory,
  { appId, manifestId }: DepotVersion,
  context: Context,
): Promise<WrittenFiles> {
  const installed = readMarker(directory, appId)?.manifestId
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
