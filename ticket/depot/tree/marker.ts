import { readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { syncFolder } from '../../../process/atomic-file.ts'
import type { DepotVersion } from '../platform.ts'
import { markerName } from './file-names.ts'
import { writeRecord } from './write-record.ts'

/** Content of the completion marker. The game server only checks whether the marker exists. */
export interface Marker {
  /** Decimal uint64. */
  readonly manifestId: string
}

const markerSchema = v.object({ appId: v.number(), manifestId: v.string() })

/**
 * Writes the marker in the format of the existing sidecar: `manifestId` is a JSON number that can exceed 2^53.
 * @param downloadedAt ISO 8601
 */
export async function writeMarker(
  root: string,
  version: DepotVersion,
  tree: { readonly files: number; readonly bytes: number },
  downloadedAt: string,
): Promise<void> {
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
  await writeRecord(join(root, markerName(version.appId)), `${numeric}\n`)
}

/** Reads the marker; `undefined` when there is none or it cannot be read. */
export async function readMarker(root: string, appId: number): Promise<Marker | undefined> {
  try {
    const text = await readFile(join(root, markerName(appId)), 'utf8')
    return v.parse(markerSchema, JSON.parse(text.replace(/"manifestId":\s*(\d+)/, '"manifestId": "$1"')))
  } catch {
    return undefined
  }
}

/** Whether the marker exists, also one of the existing sidecar. `serve` then starts no download. */
export async function hasMarker(root: string, appId: number): Promise<boolean> {
  return (await stat(join(root, markerName(appId))).catch(() => undefined)) !== undefined
}

/** Removes the marker. An update calls it before it changes the first file. */
export async function removeMarker(root: string, appId: number): Promise<void> {
  await rm(join(root, markerName(appId)), { force: true })
  await syncFolder(root)
}
