import { writeArchive } from './archive.ts'
import type { Manifest } from './manifest.ts'
import { verifyArchive } from './read-archive.ts'
import type { Save } from './saves-folder.ts'

/** The calls for one archive, in the main thread or in a separate one. */
export interface ArchiveCalls {
  /** As `writeArchive`. */
  write(path: string, save: Save, manifest: Manifest): Promise<void>
  /** As `verifyArchive`. */
  verify(path: string): Promise<void>
}

export const archiveCalls: ArchiveCalls = {
  write: writeArchive,
  async verify(path) {
    await verifyArchive(path)
  },
}
