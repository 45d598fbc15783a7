import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { OWN_PREFIX } from '../format/safe-path.ts'

/** The game's own list of content files, which is pruned after the download. */
export const CONTENT_HASHES = 'Content/ContentHashes.json'

/** Files that mod loaders replace: written when missing or when the manifest's own version changes. */
const REPLACEABLE: ReadonlySet<string> = new Set(['StardewValley', 'steam_appid.txt'])

export function isReplaceable(path: string): boolean {
  return REPLACEABLE.has(path)
}

/**
 * Where a manifest's file lies below the target directory. The content list is kept as the depot has it
 * beside our other records, so that the pruned one can be derived and checked without a download.
 */
export function placeOf(path: string): string {
  return path === CONTENT_HASHES ? `${OWN_PREFIX}content-hashes.json` : path
}

/** Absolute path of a file's partial data: beside it, so on the same mount; a name of constant length. */
export function partOf(root: string, path: string): string {
  const place = placeOf(path)
  const name = createHash('sha1').update(place).digest('hex').slice(0, 20)
  return join(root, dirname(place), `${OWN_PREFIX}part-${name}`)
}

export const WRITTEN_FILES = `${OWN_PREFIX}files.json`
export const LOCK = `${OWN_PREFIX}lock`

/** The completion marker that the game server waits for. */
export function markerName(appId: number): string {
  return `${OWN_PREFIX}manifest-${appId}`
}
