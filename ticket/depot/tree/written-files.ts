import * as v from 'valibot'
import { mapOf, readForeign } from '../../../lib/foreign/read.ts'
import { safePath } from '../format/safe-path.ts'
import { writtenFilesList } from './file-names.ts'
import type { GameDirectory } from './game-directory.ts'
import { readRecord, writeRecord } from './record.ts'

/** Paths of the files that downloads have written, with the SHA-1 of each in its manifest. */
export type WrittenFiles = ReadonlyMap<string, string>

/** Bytes; the game's list has 0.5 MB. */
const maxList = 32 * 2 ** 20
const maxFiles = 250_000
const listSchema = v.strictObject({ version: v.literal(1), files: mapOf(v.string(), maxFiles) })
/** The files, the version and two objects. */
const listLimits = { depth: 2, values: maxFiles + 4 }

/**
 * Reads the list. Other programs can write to its directory, so its paths are checked like those of a manifest.
 * @returns `undefined` when it is missing or damaged; then no file may be deleted
 */
export function readWrittenFiles(directory: GameDirectory): WrittenFiles | undefined {
  const list = readForeign(listSchema, readRecord(directory, writtenFilesList, maxList), listLimits)
  return list && new Map([...list.files].filter(([path]) => isSafe(path)))
}

function isSafe(path: string): boolean {
  try {
    return safePath(path) === path
  } catch {
    return false
  }
}

/** Replaces the list atomically. @throws DownloadError */
export function saveWrittenFiles(directory: GameDirectory, files: WrittenFiles): void {
  const list = { version: 1, files: Object.fromEntries(files) }
  writeRecord(directory, writtenFilesList, `${JSON.stringify(list)}\n`)
}
