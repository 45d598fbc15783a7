/**
 * Writes archives of saves, and reads those in `BACKUP_DIR`, without blocking the event loop. Compressing and unpacking
 * allocate memory, and for every few dozen megabytes of it the garbage collector stops the thread to scan its whole heap.
 */
import { extname } from 'node:path'
import { archivesApart } from '../archives/apart.ts'
import type { Manifest } from '../archives/manifest.ts'
import type { Save } from '../saves/saves-folder.ts'
import { type ArchiveCalls, archiveCalls } from './archive-calls.ts'

/**
 * Bytes of a save that the main thread handles: too few for a collection, and a thread takes 0.1 s of processor time.
 */
const mostHere = 24_000_000

/** Calls for archives that anyone can have made. */
export const apart = archivesApart<ArchiveCalls>(
  new URL(`./archive-thread${extname(import.meta.url)}`, import.meta.url),
)

/** As `writeArchive`. @throws EAGAIN when the thread fails; the archive may then exist in part */
export const writeApart = (path: string, save: Save, manifest: Manifest): Promise<void> =>
  isSmall(manifest)
    ? archiveCalls.write(path, save, manifest)
    : apart((calls) => calls.write(path, save, manifest))

/** As `verifyArchive`. @param manifest of an archive that farmgate has just written; undefined for any other */
export const verifyApart = (path: string, manifest?: Manifest): Promise<void> =>
  manifest !== undefined && isSmall(manifest)
    ? archiveCalls.verify(path)
    : apart((calls) => calls.verify(path))

const isSmall = ({ files }: Manifest): boolean => files.reduce((sum, { bytes }) => sum + bytes, 0) <= mostHere
