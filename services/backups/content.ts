import { createHash } from 'node:crypto'
import type { ArchivedFile } from '../archives/manifest.ts'
import { infoFile } from '../archives/manifest.ts'

/**
 * The digest of a save's own two files, without the older copies that the game keeps. It stays the same when the save is
 * renamed.
 */
export const contentDigest = (save: string, files: readonly ArchivedFile[]): string =>
  createHash('sha256')
    .update([save, infoFile].map((own) => files.find(({ path }) => path === own)?.sha256).join(''))
    .digest('hex')
