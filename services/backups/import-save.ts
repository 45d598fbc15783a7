/** Imports a save from elsewhere: a zip or a folder, of SMAPI, of farmgate or of a player (docs/backups.md, "Import"). */
import { cp, lstat, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { GameDay } from '../../handlers/backup-record.ts'
import { syncFolder } from '../../lib/atomic-file.ts'
import type { ArchiveLimits } from './allowed-entries.ts'
import { type ExaminedSave, examineSave } from './examine-save.ts'
import { readArchive } from './read-archive.ts'
import { infoFile, type Save } from './saves-folder.ts'
import { savesWithin } from './saves-within.ts'
import { settleFiles } from './settle-files.ts'
import { unpackTo } from './unpack.ts'

/** Why nothing was placed; the message is a sentence for the operator. */
class ImportRefused extends Error {
  override readonly name = 'ImportRefused'
}

export interface ImportWish {
  /** Path of a zip or a folder. */
  readonly from: string
  /** `SAVES_DIR`; undefined to examine the save only. */
  readonly savesDir: string | undefined
  /** The name of the save to import, where there are several. */
  readonly save?: string | undefined
  readonly limits?: ArchiveLimits
}

export interface FoundSave {
  /** The name of the save's folder. */
  readonly save: string
  readonly farmName: string
  readonly day: GameDay
  readonly host: string
  /** Names of the host and the farmhands. */
  readonly people: readonly string[]
  readonly bytes: number
}

const stagingName = '.farmgate-import-'
/** Milliseconds after which a staging folder counts as left behind by a killed process. */
const abandonedAfter = 3_600_000

/**
 * Checks the save and, with `savesDir`, puts it beside the other saves, whole or not at all, and never over an existing
 * one.
 * @param now milliseconds since 1970
 * @throws {ImportRefused | BrokenArchive}
 * @throws the error of the file system
 */
export async function importSave(wish: ImportWish, now: number): Promise<FoundSave> {
  const saves = wish.savesDir === undefined ? undefined : await savesBelow(wish.savesDir)
  if (saves !== undefined) await removeAbandoned(saves, now)
  // In the folder of the saves, so that the last step is a rename on one file system.
  const staging = await mkdtemp(join(saves ?? tmpdir(), stagingName))
  try {
    await bring(wish, staging)
    const found = await chosen(staging, wish.save)
    const examined = await examineSave(found)
    if (examined === undefined)
      throw new ImportRefused(
        `The save ${found.name} is not whole: a file is missing, cut off, or of another day.`,
      )
    if (saves !== undefined) await place(found, saves)
    return factsOf(examined)
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

async function savesBelow(dir: string): Promise<string> {
  const saves = join(dir, 'Saves')
  const isFolder = await stat(saves).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (!isFolder) await makeFirst(saves, dir)
  return saves
}

/** Makes the folder of all saves as the game does with its first one: in a folder that is empty. */
async function makeFirst(saves: string, dir: string): Promise<void> {
  const names = await readdir(dir).catch(() => undefined)
  if (names?.length !== 0)
    throw new ImportRefused(`${dir} has no folder Saves: name the folder that holds it.`)
  await mkdir(saves)
  await settleFiles(saves, await stat(dir))
}

async function removeAbandoned(saves: string, now: number): Promise<void> {
  for (const name of await readdir(saves)) {
    if (!name.startsWith(stagingName)) continue
    const { mtimeMs } = await lstat(join(saves, name))
    if (now - mtimeMs > abandonedAfter) await rm(join(saves, name), { recursive: true, force: true })
  }
}

/** Copies or unpacks everything into the staging folder. */
async function bring({ from, limits }: ImportWish, staging: string): Promise<void> {
  const source = await stat(from).catch(() => undefined)
  if (source === undefined) throw new ImportRefused(`There is no file or folder ${from}.`)
  const into = join(staging, 'save')
  if (!source.isDirectory()) {
    await readArchive(from, unpackTo(into), limits)
    return
  }
  await cp(from, into, {
    recursive: true,
    filter: async (path) => {
      if (path === from) return true
      if (basename(path).startsWith('.')) return false
      const file = await lstat(path)
      if (file.isSymbolicLink()) throw new ImportRefused(`${path} is a link.`)
      return file.isDirectory() || file.isFile()
    },
  })
}

async function chosen(staging: string, name: string | undefined): Promise<Save> {
  const found = await savesWithin(staging)
  const names = found.map((one) => one.name).sort()
  const fitting = name === undefined ? found : found.filter((one) => one.name === name)
  const [save, ...others] = fitting
  if (save !== undefined && others.length === 0) return save
  if (found.length === 0)
    throw new ImportRefused(
      `There is no save in it: a folder with ${infoFile} and a file such as Clover_123456789.`,
    )
  throw new ImportRefused(`It has the saves ${names.join(', ')}: name one of them with --save.`)
}

/** Gives the save the owner of the other saves, as far as this process may, and renames it to its name. */
async function place({ name, folder }: Save, saves: string): Promise<void> {
  const target = join(saves, name)
  const isTaken = await lstat(target).then(
    () => true,
    () => false,
  )
  if (isTaken) throw new ImportRefused(`There is a save ${name} already; nothing was changed.`)
  await settleFiles(folder, await stat(saves))
  await rename(folder, target)
  await syncFolder(saves)
}

const factsOf = ({ save, facts, files }: ExaminedSave): FoundSave => ({
  save: save.name,
  farmName: facts.farmName,
  day: facts.day,
  // The host is the first person that both files name.
  host: facts.people[0] ?? '',
  people: facts.people,
  bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
})
