/** The mods in a zip from an untrusted source, found after all of it was checked. */
import { posix } from 'node:path'
import { BrokenArchive, readArchive, type TakeFile, takeNowhere } from '../archives/read-archive.ts'
import { isManifest, type ModManifest, maxManifestBytes, readModManifest } from './manifest.ts'
import { keyOf } from './relations.ts'

/** Unpacked. */
export const modArchiveLimits = { files: 20_000, bytes: 1024 ** 3 } as const

export interface ArchivedMod {
  /** Its folder in the zip; empty where the zip is the folder. */
  readonly root: string
  readonly manifest: ModManifest
}

/** Folders deeper than this are not searched in the folder of the mods either. */
const deepest = 7

/**
 * Reads the whole zip and writes nothing.
 * @throws {BrokenArchive} a bad archive, or one without a mod, with a broken one, or with one mod twice
 * @throws the error of the file system
 */
export async function modsInArchive(path: string): Promise<ArchivedMod[]> {
  const manifests = new Map<string, Buffer>()
  const take: TakeFile = async (name, content) => {
    if (!isManifest(posix.basename(name)) || isHidden(name)) return takeNowhere(name, content)
    const pieces: Buffer[] = []
    let bytes = 0
    for await (const piece of content) {
      bytes += piece.length
      if (bytes > maxManifestBytes) throw new BrokenArchive(`${name} has more than ${maxManifestBytes} bytes`)
      pieces.push(Buffer.from(piece))
    }
    const root = posix.dirname(name)
    manifests.set(root === '.' ? '' : root, Buffer.concat(pieces))
  }
  await readArchive(path, take, modArchiveLimits)
  const roots = [...manifests.keys()].sort((a, b) => a.length - b.length || (a < b ? -1 : 1))
  const mods: ArchivedMod[] = []
  for (const root of roots) {
    // The game does not look for mods in the folder of a mod.
    if (mods.some((mod) => isBelow(root, mod.root))) continue
    const read = readModManifest(manifests.get(root) ?? Buffer.alloc(0))
    const shown = posix.join(root, 'manifest.json')
    if ('wrong' in read) throw new BrokenArchive(`${shown} ${read.wrong}`)
    if (mods.some(({ manifest }) => keyOf(manifest.id) === keyOf(read.id)))
      throw new BrokenArchive(`the mod ${read.id} is in it twice`)
    if (root.split('/').length > deepest) throw new BrokenArchive(`${shown} is in too many folders`)
    mods.push({ root, manifest: read })
  }
  if (mods.length === 0) throw new BrokenArchive('it has no mod: no folder with a manifest.json')
  return mods
}

/** Whether a path of the zip is in the folder of a mod. */
export const isBelow = (path: string, root: string): boolean => root === '' || path.startsWith(`${root}/`)

const isHidden = (name: string): boolean =>
  name.split('/').some((part) => part.startsWith('.') || part === '__MACOSX')

/** Folders for a new mod, the best first: as in the zip, by its last name, by the mod's own. */
export function foldersFor({ root, manifest }: ArchivedMod): string[] {
  const inZip = root.replace(/^mods\//i, '')
  const names = [inZip, posix.basename(root), manifest.name, manifest.id].map((name) =>
    name
      .split('/')
      .map((part) => part.replace(/[\\:*?"<>|]/g, '').replace(/^\.+|[. ]+$/g, ''))
      .join('/'),
  )
  return names.filter(
    (name) => name !== '' && name.split('/').every((part) => part !== '' && part.length <= 200),
  )
}
