import { hash } from 'node:crypto'
import { ownPrefix } from '../format/safe-path.ts'

/** The game's list of content files. After the download, omitted files are removed from it. */
export const contentManifest = 'Content/ContentHashes.json'

/** Files that mod loaders replace. They are written only when missing or when their version in the manifest changes. */
const replaceable: ReadonlySet<string> = new Set(['StardewValley', 'steam_appid.txt'])

/** @returns whether mod loaders replace this depot path */
export function isReplaceable(path: string): boolean {
  return replaceable.has(path)
}

/**
 * Path of a manifest's file below the target directory. The unpruned content list is stored under another name, so that
 * the pruned one can be made and checked without a download.
 */
export function storedPath(path: string): string {
  return path === contentManifest ? `${ownPrefix}content-hashes.json` : path
}

/** The folder of a path below the target directory; empty for the directory itself. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

const inFolder = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`)

/** Path of a file's partial file: in the same folder, so on the same mount; its name has a constant length. */
export function partialPath(path: string): string {
  const place = storedPath(path)
  const name = hash('sha1', place).slice(0, 20)
  return inFolder(folderOf(place), `${ownPrefix}part-${name}`)
}

/** Path of a file that will be renamed to a marker or list. @param random 20 hex digits */
export function temporaryPath(folder: string, random: string): string {
  return inFolder(folder, `${ownPrefix}new-${random}`)
}

const unfinished = new RegExp(`^\\${ownPrefix}(part-[0-9a-f]{20}|new(-[0-9a-f]{20})?)$`)

/** @returns whether only downloads give files this name, until they are complete */
export function isUnfinished(name: string): boolean {
  return unfinished.test(name)
}

export const writtenFilesList = `${ownPrefix}files.json`
export const lockName = `${ownPrefix}lock`

/** The completion marker that the game server waits for. */
export function markerName(appId: number): string {
  return `${ownPrefix}manifest-${appId}`
}

/** The marker's name while a repair changes files. */
export function repairingName(appId: number): string {
  return `${ownPrefix}repairing-${appId}`
}
