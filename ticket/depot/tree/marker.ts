import * as v from 'valibot'
import { readForeign } from '../../../lib/foreign/read.ts'
import type { DepotVersion } from '../platform.ts'
import { markerName, repairingName } from './file-names.ts'
import { type GameDirectory, inGameDirectory } from './game-directory.ts'
import { readRecord, writeRecord } from './record.ts'

/** Content of the completion marker. The game server only checks whether the marker exists. */
export interface Marker {
  /** Decimal uint64. */
  readonly manifestId: string
}

/** Bytes. A marker has about 300. */
const maxMarker = 2 ** 16
const markerSchema = v.object({ appId: v.number(), manifestId: v.pipe(v.string(), v.regex(/^\d{1,20}$/)) })

/**
 * Writes the marker in the format of the existing sidecar: `manifestId` is a JSON number that can exceed 2^53.
 * @param downloadedAt ISO 8601
 */
export function writeMarker(
  directory: GameDirectory,
  version: DepotVersion,
  tree: { readonly files: number; readonly bytes: number },
  downloadedAt: string,
): void {
  const text = JSON.stringify(
    {
      appId: version.appId,
      depotId: version.depotId,
      manifestId: version.manifestId,
      targetOs: 'linux',
      totalBytes: tree.bytes,
      totalFiles: tree.files,
      downloadedAt,
    },
    undefined,
    2,
  )
  const numeric = text.replace(/"manifestId": "(\d+)"/, '"manifestId": $1')
  place(directory, version.appId, `${numeric}\n`)
}

/** Reads the marker; `undefined` when there is none or it is unreadable. */
export function readMarker(directory: GameDirectory, appId: number): Marker | undefined {
  return read(directory, markerName(appId))
}

/** @returns the installed version, of the marker or of a repair that was interrupted */
export function installedVersion(directory: GameDirectory, appId: number): string | undefined {
  return (readMarker(directory, appId) ?? read(directory, repairingName(appId)))?.manifestId
}

function read(directory: GameDirectory, name: string): Marker | undefined {
  const text = readRecord(directory, name, maxMarker)?.toString()
  return readForeign(markerSchema, text?.replace(/"manifestId":\s*(\d+)/, '"manifestId": "$1"'))
}

/** Whether the marker exists, also one of the existing sidecar. `serve` then starts no download. */
export function hasMarker(gameDirectory: string, appId: number): boolean {
  try {
    const root = { directory: gameDirectory, folder: '' }
    return inGameDirectory(root, (directory) => directory.status(markerName(appId))?.isFile() === true)
  } catch {
    return false
  }
}

/** Whether the installed version is known. */
export function hasVersion(gameDirectory: string, appId: number): boolean {
  try {
    const root = { directory: gameDirectory, folder: '' }
    return inGameDirectory(root, (directory) => installedVersion(directory, appId) !== undefined)
  } catch {
    return false
  }
}

/**
 * Removes the marker before the first file changes. A repair keeps it under another name until it has ended, so that the
 * run after an interruption repairs the same version; an update forgets it.
 */
export function removeMarker(directory: GameDirectory, appId: number, isRepair: boolean): void {
  if (!isRepair) directory.remove(repairingName(appId))
  else if (readMarker(directory, appId) !== undefined)
    directory.rename(markerName(appId), repairingName(appId))
  directory.remove(markerName(appId))
  directory.sync('')
}

function place(directory: GameDirectory, appId: number, content: string): void {
  writeRecord(directory, markerName(appId), content)
  directory.remove(repairingName(appId))
}

/**
 * Removes the marker while the SDK changes, so that no game server starts with half of it.
 * @returns a function that puts the same marker back
 */
export function setMarkerAside(directory: GameDirectory, appId: number, isRepair: boolean): () => void {
  const content = readRecord(directory, markerName(appId), maxMarker)
  removeMarker(directory, appId, isRepair)
  return () => {
    if (content !== undefined) place(directory, appId, content.toString())
  }
}
