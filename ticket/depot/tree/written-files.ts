import * as v from 'valibot'
import { safePath } from '../format/safe-path.ts'
import { writtenFilesList } from './file-names.ts'
import type { GameDirectory } from './game-directory.ts'
import { readRecord, writeRecord } from './record.ts'

/** Paths of the files that downloads have written, with the SHA-1 of each in its manifest. */
export type WrittenFiles = ReadonlyMap<string, string>

/** Bytes; the game's list has 0.5 MB. */
const maxList = 32 * 2 ** 20
const maxFiles = 250_000
const listSchema = v.object({ version: v.literal(1), files: v.record(v.string(), v.string()) })

/**
 * Reads the list. Other programs can write to its directory, so its paths are checked like those of a manifest.
 * @returns `undefined` when it is missing or damaged; then no file may be deleted
 */
export function readWrittenFiles(directory: GameDirectory): WrittenFiles | undefined {
  try {
    const text = String(readRecord(directory, writtenFilesList, maxList))
    if (!isListSized(text)) return undefined
    const { files } = v.parse(listSchema, JSON.parse(text))
    return new Map(Object.entries(files).filter(([path]) => isSafe(path)))
  } catch {
    return undefined
  }
}

/**
 * Parsing 32 MB of only brackets or names would take gigabytes, so they are counted before.
 * @returns whether a JSON text has at most two objects and as many members as a list may have
 */
function isListSized(text: string): boolean {
  let objects = 0
  let members = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === '\\') at++
    } else if (character === '{' || character === '[') objects += 1
    else if (character === ',') members += 1
    if (objects > 2 || members > maxFiles) return false
  }
  return true
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
