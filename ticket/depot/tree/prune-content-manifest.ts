import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { safePath } from '../format/safe-path.ts'
import { contentManifest, storedPath } from './file-names.ts'
import { writeRecord } from './write-record.ts'

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
      if (name !== undefined) found.push({ name: String(JSON.parse(name)), text })
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
  try {
    const value: unknown = JSON.parse(body)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  } catch {
    return undefined
  }
  const all = members(body)
  const kept = all.filter(({ name }) => present(name))
  return kept.length === all.length ? json : `{${kept.map(({ text }) => text).join(',')}}`
}

/**
 * @param planned whether a path will exist after a download; `undefined` means that the disk decides
 * @returns the pruned list that the directory should have; `undefined` when the depot has no list
 */
export async function prunedContentManifest(
  root: string,
  planned: (path: string) => boolean | undefined = () => undefined,
): Promise<string | undefined> {
  const original = await readFile(join(root, storedPath(contentManifest)), 'utf8').catch(() => undefined)
  if (original === undefined) return undefined
  const names = new Map<string, boolean>()
  prune(original, (name) => {
    names.set(name, false)
    return true
  })
  for (const name of names.keys()) {
    names.set(name, planned(`Content/${name}`) ?? (await isPresent(root, name)))
  }
  return prune(original, (name) => names.get(name) === true) ?? original
}

async function isPresent(root: string, name: string): Promise<boolean> {
  try {
    return (await stat(join(root, 'Content', safePath(name)))).isFile()
  } catch {
    return false
  }
}

/** Removes files that do not exist from the game's list. @returns whether the list was changed */
export async function pruneContentManifest(root: string): Promise<boolean> {
  const expected = await prunedContentManifest(root)
  if (expected === undefined || (await contentManifestMatches(root, expected))) return false
  await writeRecord(join(root, contentManifest), expected)
  return true
}

/** @returns whether the game's list is exactly `expected` */
export async function contentManifestMatches(root: string, expected: string): Promise<boolean> {
  const current = await readFile(join(root, contentManifest), 'utf8').catch(() => undefined)
  return current === expected
}
