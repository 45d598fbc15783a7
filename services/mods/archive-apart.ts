import { extname } from 'node:path'
import { archivesApart } from '../archives/apart.ts'
import type { ModArchiveCalls } from './archive-calls.ts'

/** Calls for a zip of mods, in a thread. */
export const modArchivesApart = archivesApart<ModArchiveCalls>(
  new URL(`./archive-thread${extname(import.meta.url)}`, import.meta.url),
)
