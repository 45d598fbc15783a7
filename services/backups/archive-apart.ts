/**
 * Writes and verifies archives without blocking the event loop. Compressing and unpacking allocate memory, and for
 * every few dozen megabytes of it the garbage collector stops the thread to scan its whole heap. A large archive
 * therefore has a separate thread with a small heap.
 */
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { inThread } from '../../lib/threads.ts'
import type { Manifest } from '../archives/manifest.ts'
import { readManifest } from '../archives/read-archive.ts'
import type { Save } from '../saves/saves-folder.ts'
import { type ArchiveCalls, archiveCalls, archiveErrors } from './archive-calls.ts'

/**
 * Bytes of a save that the main thread handles: too few for a collection, and a thread takes 0.1 s of processor time.
 */
const mostHere = 24_000_000

/** The garbage of the thread is short-lived. */
const resourceLimits = { maxYoungGenerationSizeMb: 4 }

/** The thread ended before it answered, which does not show whether the archive is good. */
class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded'
}

/** As `writeArchive`. @throws {ThreadEnded} when the thread fails; the archive may then exist in part */
export const writeApart = (path: string, save: Save, manifest: Manifest): Promise<void> =>
  bytesOf(manifest) <= mostHere
    ? archiveCalls.write(path, save, manifest)
    : apart((calls) => calls.write(path, save, manifest))

/** As `verifyArchive`. @throws {BrokenArchive} @throws the error of the file system */
export async function verifyApart(path: string): Promise<void> {
  const manifest = await readManifest(path)
  if (manifest === undefined || bytesOf(manifest) <= mostHere) return archiveCalls.verify(path)
  try {
    await apart((calls) => calls.verify(path))
  } catch (error) {
    if (!(error instanceof ThreadEnded)) throw error
    await archiveCalls.verify(path)
  }
}

const bytesOf = ({ files }: Manifest): number => files.reduce((sum, { bytes }) => sum + bytes, 0)

const apart = (call: (calls: ArchiveCalls) => Promise<void>): Promise<void> =>
  inThread<ArchiveCalls, object, void>(
    new Worker(new URL(`./archive-thread${extname(import.meta.url)}`, import.meta.url), { resourceLimits }),
    {
      functions: {},
      errors: archiveErrors,
      lost: (cause) => new ThreadEnded(cause?.message ?? 'the thread of the archive has ended'),
    },
    call,
  )
