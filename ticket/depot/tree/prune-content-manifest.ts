import { hash } from 'node:crypto'
import { foreignValue } from '../../../lib/foreign/read.ts'
import { DownloadError } from '../../errors.ts'
import type { DepotFile } from '../format/depot-file.ts'
import { safePath } from '../format/safe-path.ts'
import { contentManifest, storedPath } from './file-names.ts'
import type { GameDirectory } from './game-directory.ts'
import { readRecord, writeRecord } from './record.ts'

/** The game's list has some thousand names. */
const listLimits = { values: 250_000 }

/** One member of a JSON object: its name, and its source text with name and value. */
interface Member {
  readonly name: string
  readonly text: string
}

/**
 * Splits a flat JSON object into its members without reading their values: `JSON.parse` would lose the order
 * of number-like names and the digits of large numbers.
 * @param json valid JSON of an object
 */
function members(json: string): Member[] {
  const found: Member[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at < json.length; at++) {
    const character = json[at]
    if (character === '"') {
      do at += json[at] === '\\' ? 2 : 1
      while (json[at] !== '"')
    } else if (character === '{' || character === '[') {
      depth += 1
      if (depth === 1) start = at + 1
    } else if (
      (character === ',' && depth === 1) ||
      ((character === '}' || character === ']') && depth-- === 1)
    ) {
      const text = json.slice(start, at).trim()
      const name = /^"(?:[^"\\]|\\.)*"/.exec(text)?.[0]
      if (name !== undefined) found.push({ name: String(foreignValue(name)), text })
      start = at + 1
    }
  }
  return found
}

/**
 * Removes the members whose names are not `present`; order and values of the others stay unchanged.
 * @returns the pruned text, the same text when all are present, or `undefined` when it is not a JSON object
 */
function prune(json: string, present: (name: string) => boolean): string | undefined {
  const body = json.replace(/^\uFEFF/, '')
  const value = foreignValue(body, listLimits)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const all = members(body)
  const kept = all.filter(({ name }) => present(name))
  return kept.length === all.length ? json : `{${kept.map(({ text }) => text).join(',')}}`
}

/** The game's list in one version of a depot, and which paths exist after a download. */
export interface ContentManifestParts {
  /** Its entry in the manifest; `undefined` when the depot has none, or it is left out. */
  readonly file: DepotFile | undefined
  /** Whether a path will exist; `undefined` means that the disk decides. */
  readonly planned: (path: string) => boolean | undefined
}

/**
 * @returns the pruned list that the directory should have; `undefined` when the depot has no list, or the stored,
 * unpruned list is not that of the manifest
 */
export function prunedContentManifest(
  directory: GameDirectory,
  { file, planned }: ContentManifestParts,
): string | undefined {
  const original = file === undefined ? undefined : unprunedList(directory, file)
  if (original === undefined) return undefined
  const isPresent = (name: string): boolean => {
    const path = safePathOf(`Content/${name}`)
    return path !== undefined && (planned(path) ?? directory.status(path)?.isFile() === true)
  }
  return prune(original, isPresent) ?? original
}

/**
 * Reads the stored, unpruned list. Another program may have replaced it since it was checked with the other files, and
 * its content is copied into the game's list: only the bytes of the manifest are.
 */
function unprunedList(directory: GameDirectory, { path, size, chunks }: DepotFile): string | undefined {
  const bytes = readRecord(directory, storedPath(path), size)
  if (bytes?.length !== size) return undefined
  const isGood = chunks.every(
    (chunk) => hash('sha1', bytes.subarray(chunk.offset, chunk.offset + chunk.size)) === chunk.sha,
  )
  return isGood ? bytes.toString('utf8') : undefined
}

function safePathOf(name: string): string | undefined {
  try {
    return safePath(name)
  } catch {
    return undefined
  }
}

/**
 * Removes files that do not exist from the game's list.
 * @returns whether the list was changed
 * @throws DownloadError `conflict` when another program has changed the stored, unpruned list
 */
export function pruneContentManifest(directory: GameDirectory, parts: ContentManifestParts): boolean {
  if (parts.file === undefined) return false
  const expected = prunedContentManifest(directory, parts)
  if (expected === undefined) {
    const stored = directory.shown(storedPath(contentManifest))
    throw new DownloadError('conflict', `${stored} was changed during the download; run it again`)
  }
  if (contentManifestMatches(directory, expected)) return false
  writeRecord(directory, contentManifest, expected)
  return true
}

/** @returns whether the game's list is exactly `expected` */
export function contentManifestMatches(directory: GameDirectory, expected: string): boolean {
  const bytes = Buffer.from(expected)
  return readRecord(directory, contentManifest, bytes.length)?.equals(bytes) === true
}
