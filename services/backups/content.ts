import { createHash } from 'node:crypto'
import type { ArchivedFile } from '../archives/manifest.ts'
import { infoFile } from '../archives/manifest.ts'

/**
 * The digest of all files of a save, those of mods included, without the older copies that the game keeps of its own two.
 * It stays the same when the save is renamed.
 */
export function contentDigest(save: string, files: readonly ArchivedFile[]): string {
  const olderCopies = [save, infoFile].map((own) => `${own}_old`)
  const lines = files
    .filter(({ path }) => !olderCopies.includes(path))
    .map(({ path, sha256 }) => `${sha256} ${path === save ? '' : path}\n`)
  return createHash('sha256').update(lines.sort().join('')).digest('hex')
}
