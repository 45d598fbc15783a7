/** What is done with a zip of mods in a thread. */
import { readArchive, takeNowhere } from '../archives/read-archive.ts'
import { unpackTo } from '../archives/unpack.ts'
import { type ArchivedMod, modArchiveLimits, modsInArchive, rootOf } from './archived-mods.ts'
import type { ModPlace } from './find-mods.ts'
import { inModFolders, type ModFolders } from './mod-folders.ts'

/** Where the files of a mod go. */
interface UnpackedMod extends Pick<ArchivedMod, 'root'> {
  readonly place: ModPlace
  /** In its place. */
  readonly into: string
}

export interface ModArchiveCalls {
  /** As `modsInArchive`. */
  find(path: string): Promise<ArchivedMod[]>
  /** Unpacks a checked zip. @throws {BrokenArchive} @throws the error of the file system */
  unpack(path: string, folders: ModFolders, mods: readonly UnpackedMod[]): Promise<void>
}

export const modArchiveCalls: ModArchiveCalls = {
  find: modsInArchive,
  async unpack(path, folders, mods) {
    const byRoot = new Map(mods.map((mod) => [mod.root, mod]))
    await inModFolders(folders, (opened) =>
      readArchive(
        path,
        async (name, content) => {
          const mod = byRoot.get(rootOf(name, byRoot) ?? '')
          if (mod === undefined) return takeNowhere(name, content)
          const inMod = mod.root === '' ? name : name.slice(mod.root.length + 1)
          await opened[mod.place].within(mod.into, (into) => unpackTo(into)(inMod, content))
        },
        modArchiveLimits,
      ),
    )
  },
}
