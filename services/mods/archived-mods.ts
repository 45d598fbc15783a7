/** The mods in a zip from an untrusted source, found after all of it was checked. */
import { posix } from 'node:path'
import { BrokenArchive } from '../archives/broken-archive.ts'
import { readArchive, type TakeFile, takeNowhere } from '../archives/read-archive.ts'
import { isManifest, type ModManifest, maxManifestBytes, readModManifest } from './manifest.ts'
import { keyOf } from './relations.ts'

/** Unpacked. */
export const modArchiveLimits = { files: 20_000, bytes: 1024 ** 3 } as const
/** Maximum of mods in one zip, as many as the list shows, and of bytes of all their manifests. */
const most = { mods: 1000, manifests: 8 * 1024 ** 2 } as const

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
  let manifestsLeft: number = most.manifests
  const take: TakeFile = async (name, content) => {
    if (!isManifest(posix.basename(name)) || isHidden(name)) return takeNowhere(name, content)
    const pieces: Buffer[] = []
    let bytes = 0
    for await (const piece of content) {
      bytes += piece.length
      manifestsLeft -= piece.length
      if (manifestsLeft < 0)
        throw new BrokenArchive(`its manifests have more than ${most.manifests} bytes together`)
      if (bytes > maxManifestBytes) throw new BrokenArchive(`${name} has more than ${maxManifestBytes} bytes`)
      pieces.push(Buffer.from(piece))
    }
    const root = posix.dirname(name)
    manifests.set(root === '.' ? '' : root, Buffer.concat(pieces))
  }
  await readArchive(path, take, modArchiveLimits)
  const roots = [...manifests.keys()].sort((a, b) => a.length - b.length || (a < b ? -1 : 1))
  const mods = new Map<string, ArchivedMod>()
  const ids = new Set<string>()
  for (const root of roots) {
    // The game does not look for mods in the folder of a mod.
    if (rootOf(root, mods) !== undefined) continue
    const read = readModManifest(manifests.get(root) ?? Buffer.alloc(0))
    const shown = posix.join(root, 'manifest.json')
    if ('wrong' in read) throw new BrokenArchive(`${shown} ${read.wrong}`)
    if (ids.has(keyOf(read.id))) throw new BrokenArchive(`the mod ${read.id} is in it twice`)
    if (root.split('/').length > deepest) throw new BrokenArchive(`${shown} is in too many folders`)
    if (mods.size === most.mods) throw new BrokenArchive(`it has more than ${most.mods} mods`)
    ids.add(keyOf(read.id))
    mods.set(root, { root, manifest: read })
  }
  if (mods.size === 0) throw new BrokenArchive('it has no mod: no folder with a manifest.json')
  return [...mods.values()]
}

/** The folders above a path, the innermost first, then the zip itself. */
export function* foldersAbove(path: string): Generator<string, void> {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
    yield path.slice(0, end)
  yield ''
}

/** @returns the folder of the mod in which a path of the zip is; undefined outside of all of `roots` */
export function rootOf(path: string, roots: { has(root: string): boolean }): string | undefined {
  for (const folder of foldersAbove(path)) if (roots.has(folder)) return folder
  return undefined
}

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
