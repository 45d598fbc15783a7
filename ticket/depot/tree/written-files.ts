import * as v from 'valibot'
import { safePath } from '../format/safe-path.ts'
import { writtenFilesList } from './file-names.ts'
import type { GameDirectory } from './game-directory.ts'
import { readRecord, writeRecord } from './record.ts'

/** Paths of the files that downloads have written, with the SHA-1 of each in its manifest. */
export type WrittenFiles = ReadonlyMap<string, string>

/** Bytes: room for 100,000 files with long paths. */
const maxList = 32 * 2 ** 20
const listSchema = v.object({ version: v.literal(1), files: v.record(v.string(), v.string()) })

/**
 * Reads the list. Other programs can write to its directory, so its paths are checked like those of a manifest.
 * @returns `undefined` when it is missing or damaged; then no file may be deleted
 */
export function readWrittenFiles(directory: GameDirectory): WrittenFiles | undefined {
  try {
    const text = String(readRecord(directory, writtenFilesList, maxList))
    const { files } = v.parse(listSchema, JSON.parse(text))
    return new Map(Object.entries(files).filter(([path]) => isSafe(path)))
  } catch {
    return undefined
  }
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
