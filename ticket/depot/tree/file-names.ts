import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { ownPrefix } from '../format/safe-path.ts'

/** The game's own list of content files, which is pruned after the download. */
export const contentManifest = 'Content/ContentHashes.json'

/** Files that mod loaders replace: written when missing or when the manifest's own version changes. */
const replaceable: ReadonlySet<string> = new Set(['StardewValley', 'steam_appid.txt'])

export function isReplaceable(path: string): boolean {
  return replaceable.has(path)
}

/**
 * Where a manifest's file lies below the target directory. The content list is kept as the depot has it
 * beside our other records, so that the pruned one can be derived and checked without a download.
 */
export function storedPath(path: string): string {
  return path === contentManifest ? `${ownPrefix}content-hashes.json` : path
}

/** Absolute path of a file's partial data: beside it, so on the same mount; a name of constant length. */
export function partialPath(root: string, path: string): string {
  const place = storedPath(path)
  const name = createHash('sha1').update(place).digest('hex').slice(0, 20)
  return join(root, dirname(place), `${ownPrefix}part-${name}`)
}

export const writtenFilesList = `${ownPrefix}files.json`
export const lockFile = `${ownPrefix}lock`

/** The completion marker that the game server waits for. */
export function markerName(appId: number): string {
  return `${ownPrefix}manifest-${appId}`
}
