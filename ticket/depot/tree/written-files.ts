import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { safePath } from '../format/safe-path.ts'
import { writtenFilesList } from './file-names.ts'
import { writeRecord } from './write-record.ts'

/** Paths of the files that downloads have written, with the SHA-1 of each in its manifest. */
export type WrittenFiles = ReadonlyMap<string, string>

const listSchema = v.object({ version: v.literal(1), files: v.record(v.string(), v.string()) })

/**
 * Reads the list. Other programs can write to its directory, so its paths are checked like those of a manifest.
 * @returns `undefined` when it is missing or damaged; then no file may be deleted
 */
export async function readWrittenFiles(root: string): Promise<WrittenFiles | undefined> {
  try {
    const { files } = v.parse(listSchema, JSON.parse(await readFile(join(root, writtenFilesList), 'utf8')))
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
export async function saveWrittenFiles(root: string, files: WrittenFiles): Promise<void> {
  const list = { version: 1, files: Object.fromEntries(files) }
  await writeRecord(join(root, writtenFilesList), `${JSON.stringify(list)}\n`)
}
