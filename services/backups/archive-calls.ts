/** The calls for one archive of a backup, in the main thread or in a separate one. */
import { stat } from 'node:fs/promises'
import { inSharedFolder } from '../../lib/shared-folder/shared-folder.ts'
import type { Manifest } from '../archives/manifest.ts'
import { readArchive, readManifest, verifyArchive } from '../archives/read-archive.ts'
import { unpackTo } from '../archives/unpack.ts'
import type { Save } from '../saves/saves-folder.ts'
import { foreignBackups } from './foreign-archive.ts'
import { type KeptBackup, keptOf } from './kept-backup.ts'
import { writeArchive } from './write-archive.ts'

export interface ArchiveCalls {
  /** As `writeArchive`. */
  write(path: string, save: Save, manifest: Manifest): Promise<void>
  /** As `verifyArchive`. */
  verify(path: string): Promise<void>
  /** The backups in an archive. @param archive its name without `.zip` @throws {BrokenArchive} @throws the error of the file system */
  found(path: string, archive: string): Promise<KeptBackup[]>
  /**
   * Reads an archive from anyone, and unpacks it. One of farmgate must have a manifest.
   * @param into a folder below `SAVES_DIR`; undefined to read only
   * @throws {BrokenArchive} @throws the error of the file system
   */
  read(path: string, isForeign: boolean, into?: UnpackedInto): Promise<void>
}

export interface UnpackedInto {
  /** `SAVES_DIR` */
  readonly top: string
  /** Below it. */
  readonly folder: string
}

export const archiveCalls: ArchiveCalls = {
  write: writeArchive,
  async verify(path) {
    await verifyArchive(path)
  },
  async found(path, archive) {
    const stats = await stat(path)
    const said = await readManifest(path)
    return said === undefined ? foreignBackups(path, archive, stats) : [keptOf(archive, stats.size, said)]
  },
  async read(path, isForeign, into) {
    const reader = isForeign ? readArchive : verifyArchive
    if (into === undefined) await reader(path)
    else
      await inSharedFolder(into.top, (top) =>
        top.within(into.folder, (folder) => reader(path, unpackTo(folder))),
      )
  },
}
