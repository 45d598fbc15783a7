/**
 * Changes of the folders of the mods. Whenever the process is killed, each mod is the old or the new one, or is moved
 * or not: a journal is written before the first rename, and the next change or start makes the rest of it.
 */
import { posix } from 'node:path'
import * as v from 'valibot'
import { listOf, readForeign } from '../../lib/foreign/read.ts'
import { isMissing, NotRegular } from '../../lib/shared-folder/access.ts'
import type { SharedFolder } from '../../lib/shared-folder/shared-folder.ts'
import { settleFiles, siblingOf } from '../archives/settle-files.ts'
import { modArchivesApart } from './archive-apart.ts'
import { type ArchivedMod, foldersAbove, foldersFor, rootOf } from './archived-mods.ts'
import type { FoundMod, ModPlace } from './find-mods.ts'
import { isManifest } from './manifest.ts'
import { type ModFolders, type OpenModFolders, stagingName } from './mod-folders.ts'
import { idOf, keyOf } from './relations.ts'

const journalName = `${stagingName}/journal.json`
const maxJournal = 4 * 1024 ** 2
/** More than a zip of mods can have. */
const maxMoves = 20_000

/** Mods that are put in their places: the folder `new-<n>` of the staging folder there replaces what is there. */
const journal = v.object({
  moves: listOf(
    v.object({
      place: v.picklist(['on', 'off']),
      // Any mod can write a journal.
      to: v.pipe(
        v.string(),
        v.check((path) => path.split('/').every((part) => !['', '.', '..', stagingName].includes(part))),
      ),
    }),
    maxMoves,
  ),
})
type Move = v.InferOutput<typeof journal>['moves'][number]

/** Ends a change that a killed process began. @throws the error of the file system */
export async function endInterrupted(folders: OpenModFolders): Promise<void> {
  const { on, off } = folders
  const isBegun = async (folder: SharedFolder) => (await folder.status(stagingName)) !== undefined
  if (!(await isBegun(on)) && !(await isBegun(off))) return
  const text = await on.read(journalName, maxJournal).catch((error: unknown) => {
    if (error instanceof NotRegular || isMissing(error)) return undefined
    throw error
  })
  const found = readForeign(journal, text)
  if (found !== undefined) await makeMoves(folders, found.moves)
  await removeStaging(folders)
}

/** The journal is removed last. */
async function removeStaging({ on, off }: OpenModFolders): Promise<void> {
  for (const folder of [off, on]) {
    await folder.remove(stagingName)
    await folder.sync()
  }
}

/** Each step can be repeated, and stays in one folder: the other can be on another file system. */
async function makeMoves(folders: OpenModFolders, moves: readonly Move[]): Promise<void> {
  for (const [n, { place, to }] of moves.entries()) {
    const [from, old] = [newFolder(n), `${stagingName}/old-${n}`]
    const folder = folders[place]
    if ((await folder.status(from)) === undefined) continue
    await makeAbove(folder, to)
    if ((await folder.status(to)) !== undefined) {
      // The game can have made files there after the old mod was moved.
      await folder.remove(old)
      await folder.rename(to, old)
    }
    await folder.rename(from, to)
    await folder.sync()
  }
  // After a kill too, because what is kept is still in the old folder then.
  for (const [n, { place, to }] of moves.entries()) {
    const [folder, old] = [folders[place], `${stagingName}/old-${n}`]
    const areThere = [await folder.status(old), await folder.status(to)].every((one) => one?.isDirectory())
    if (areThere) await folder.within(old, (from) => folder.within(to, (mod) => keepFiles(from, mod)))
  }
}

/** Maximum depth of folders that both have. Each takes two file descriptors. */
const deepest = 32

/** Where a new mod is unpacked, in the folder of its place. */
const newFolder = (n: number): string => `${stagingName}/new-${n}`

async function makeAbove(folder: SharedFolder, path: string): Promise<void> {
  const above = posix.dirname(path)
  if (above !== '.') await folder.makeFolder(above)
}

export interface PlannedMod extends ArchivedMod {
  readonly place: ModPlace
  readonly to: string
  /** The one that it replaces, in the same place. */
  readonly old: FoundMod | undefined
}

/** Chooses the folders of the mods of a zip. @throws the error of the file system */
export async function planMods(
  { on }: Pick<OpenModFolders, 'on'>,
  mods: readonly ArchivedMod[],
  found: readonly FoundMod[],
): Promise<PlannedMod[]> {
  const byId = Map.groupBy(found, (mod) => keyOf(idOf(mod)))
  const taken = takenFolders()
  for (const { folder } of found) taken.take(folder)
  const planned: PlannedMod[] = []
  for (const mod of mods) {
    const same = byId.get(keyOf(mod.manifest.id)) ?? []
    const old = same.find(({ isEnabled }) => isEnabled) ?? same[0]
    const to = old?.folder ?? (await freeFolder(on, mod, taken))
    taken.take(to)
    planned.push({ ...mod, old, place: old?.place ?? 'on', to })
  }
  return planned
}

/** Folders that are mods or will be; none may be in another. */
function takenFolders() {
  const taken = new Set<string>()
  const above = new Set<string>()
  return {
    take(path: string): void {
      taken.add(keyOf(path))
      for (const folder of foldersAbove(keyOf(path))) above.add(folder)
    },
    isFree(path: string): boolean {
      const key = keyOf(path)
      return !taken.has(key) && !above.has(key) && rootOf(key, taken) === undefined
    },
  }
}

async function freeFolder(
  on: SharedFolder,
  mod: ArchivedMod,
  taken: ReturnType<typeof takenFolders>,
): Promise<string> {
  const names = foldersFor(mod)
  for (let count = 1; ; count += 1)
    for (const name of names) {
      const path = count === 1 ? name : `${name} ${count}`
      if (taken.isFree(path) && (await on.status(path)) === undefined) return path
    }
}

/**
 * Puts the mods of a checked zip in.
 * @throws {BrokenArchive} names that cannot be files next to each other @throws the error of the file system
 */
export async function installPlanned(
  paths: ModFolders,
  folders: OpenModFolders,
  zip: string,
  planned: readonly PlannedMod[],
): Promise<void> {
  const { on } = folders
  const places = new Set<ModPlace>(['on', ...planned.map(({ place }) => place)])
  for (const place of places) await folders[place].makeNew(stagingName, 0o700)
  for (const [n, { place }] of planned.entries()) await folders[place].makeFolder(newFolder(n))
  const mods = planned.map(({ root, place }, n) => ({ root, place, into: newFolder(n) }))
  await modArchivesApart((calls) => calls.unpack(zip, paths, mods))
  const owner = siblingOf(await on.own())
  for (const [n, { place }] of planned.entries())
    await folders[place].within(newFolder(n), (mod) => settleFiles(mod, owner))
  for (const place of places) await folders[place].within(stagingName, (staging) => staging.sync())
  const moves = planned.map(({ place, to }): Move => ({ place, to }))
  await on.write(journalName, `${journalName}.new`, JSON.stringify({ moves }))
  await makeMoves(folders, moves)
  await removeStaging(folders)
}

/**
 * Moves what the new folder does not have out of the old one, and the settings at its top: nothing is copied, however
 * large or deep it is. Links and the like are left out.
 */
async function keepFiles(from: SharedFolder, to: SharedFolder, depth = 0): Promise<void> {
  const isTop = depth === 0
  for await (const { name, raw, kind } of from.entries()) {
    if ((kind !== 'file' && kind !== 'folder') || (isTop && isManifest(name))) continue
    const there = await to.status(raw)
    const isConfig = isTop && kind === 'file' && name.toLowerCase() === 'config.json'
    if (there === undefined || isConfig) {
      if (there !== undefined) await to.remove(raw)
      await from.rename(raw, raw, to)
    } else if (kind === 'folder' && there.isDirectory() && depth < deepest)
      await from.within(raw, (below) => to.within(raw, (into) => keepFiles(below, into, depth + 1)))
  }
  await to.sync()
}

/** Moves a mod to the other folder, in one step. @throws the error of the file system */
export async function moveMod(
  folders: OpenModFolders,
  { folder, place: from, isEnabled }: FoundMod,
): Promise<void> {
  const into = folders[isEnabled ? 'off' : 'on']
  const wanted = isEnabled ? folder : folder.replace(/(^|\/)\.+/g, '$1')
  let to = wanted
  for (let count = 2; (await into.status(to)) !== undefined; count += 1) to = `${wanted} ${count}`
  await makeAbove(into, to)
  await folders[from].rename(folder, to, into)
  await into.sync()
  await folders[from].sync()
}

/** Removes a mod: in one step from its folder, then its files. @throws the error of the file system */
export async function removeMod(folders: OpenModFolders, { folder, place: from }: FoundMod): Promise<void> {
  await folders[from].makeNew(stagingName, 0o700)
  await folders[from].rename(folder, `${stagingName}/old-0`)
  await folders[from].sync()
  await folders[from].remove(stagingName)
}
