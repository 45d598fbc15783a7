/** Imports another save: a zip or a folder, of SMAPI, of farmgate or of a player (docs/backups.md, "Import"). */

import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import type { GameDay } from '../../handlers/backup-record.ts'
import type { SaveHost } from '../../handlers/save-record.ts'
import { isMissing } from '../../lib/shared-folder/access.ts'
import { inSharedFolder, type SharedFolder } from '../../lib/shared-folder/shared-folder.ts'
import { piecesOf } from '../archives/file-pieces.ts'
import { infoFile } from '../archives/manifest.ts'
import { readArchive } from '../archives/read-archive.ts'
import { NotWritable, type Sibling, settleFiles, siblingOf } from '../archives/settle-files.ts'
import { place, unpackTo } from '../archives/unpack.ts'
import { type ExaminedSave, examineSave } from './examine-save.ts'
import { SavesInUse, whileLocked } from './lock-saves.ts'
import { allSaves, inSaves, type Save } from './saves-folder.ts'
import { savesWithin } from './saves-within.ts'

/** Why the import failed; the message is a sentence for the operator. */
export class ImportRefused extends Error {
  override readonly name = 'ImportRefused'
  readonly because: 'content' | 'exists' | 'locked' | 'folder'
  constructor(sentence: string, because: ImportRefused['because'] = 'content') {
    super(sentence)
    this.because = because
  }
}

export interface ImportOptions {
  /** Path of a zip or a folder. */
  readonly from: string
  /** `SAVES_DIR`; undefined to examine the save only. */
  readonly savesDir: string | undefined
  /** The name of the save to import, where there are several. */
  readonly save?: string | undefined
}

export interface FoundSave {
  /** The name of the save's folder. */
  readonly save: string
  readonly farmName: string
  readonly day: GameDay
  readonly host: SaveHost
  /** Names of the host and the farmhands. */
  readonly people: readonly string[]
  readonly bytes: number
}

const stagingName = '.farmgate-import-'
/** Milliseconds after which a staging folder counts as left behind by a killed process. */
const abandonedAfter = 3_600_000

/**
 * Checks the save and, with `savesDir`, puts it next to the other saves, completely or not at all, and never over an
 * existing one.
 * @param now milliseconds since 1970
 * @throws {ImportRefused | BrokenArchive}
 * @throws the error of the file system
 */
export async function importSave(options: ImportOptions, now: number): Promise<FoundSave> {
  const { savesDir } = options
  if (savesDir === undefined) {
    const top = await mkdtemp(join(tmpdir(), 'farmgate-import-'))
    try {
      return factsOf(await examined(options, { top, folder: join(top, 'all') }))
    } finally {
      await rm(top, { recursive: true, force: true })
    }
  }
  return whileImporting(savesDir, () => addSave(savesDir, options, now))
}

/** Runs an import into a folder of saves, one at a time over all processes. @throws {ImportRefused} as `importSave` */
export async function whileImporting<Result>(
  savesDir: string,
  action: () => Promise<Result>,
): Promise<Result> {
  await requireSaves(savesDir)
  return whileLocked(savesDir, action).catch((error: unknown) => {
    throw error instanceof SavesInUse ? new ImportRefused(`${error.message}.`, 'locked') : error
  })
}

/** As `importSave`, in `whileImporting`. */
export async function addSave(
  savesDir: string,
  options: Pick<ImportOptions, 'from' | 'save'>,
  now: number,
): Promise<FoundSave> {
  await inSaves(savesDir, (saves) => removeAbandoned(saves, now))
  // In the folder of the saves, so that the last step is a rename on one file system.
  const staging = `${stagingName}${randomBytes(12).toString('hex')}`
  await inSaves(savesDir, (saves) => saves.makeNew(staging, 0o700))
  try {
    const found = await examined(options, { top: savesDir, folder: join(allSaves(savesDir), staging) })
    await inSaves(savesDir, (saves) =>
      putIn(saves, found.save, relative(allSaves(savesDir), found.save.folder)),
    )
    return factsOf(found)
  } finally {
    await inSaves(savesDir, (saves) => saves.remove(staging))
  }
}

/** Where a save is unpacked: a folder below the operator's one. */
interface Staging {
  readonly top: string
  readonly folder: string
}

/** Brings everything into the staging folder. @returns the save to import @throws {ImportRefused} it is not whole */
async function examined(
  options: Pick<ImportOptions, 'from' | 'save'>,
  staging: Staging,
): Promise<ExaminedSave> {
  await bring(options, staging)
  const found = await chosen(staging, options.save)
  const save = await examineSave(found)
  if (save === undefined)
    throw new ImportRefused(
      `The save ${found.name} is not whole: a file is missing, cut off, or of another day.`,
    )
  return save
}

/** Makes the folder of all saves in an empty folder, as the game does with its first save. */
const requireSaves = (dir: string): Promise<void> =>
  inSharedFolder(dir, async (top) => {
    if ((await top.status('Saves'))?.isDirectory() === true) return
    for await (const _ of top.entries()) throw noSaves(dir)
    await top.makeFolder('Saves')
    const owner = siblingOf(await top.own())
    await top.within('Saves', (saves) => settled(saves, owner))
  }).catch((error: unknown) => {
    throw isMissing(error) ? noSaves(dir) : error
  })

const noSaves = (dir: string) =>
  new ImportRefused(`${dir} has no folder Saves: name the folder that holds it.`, 'folder')

async function removeAbandoned(saves: SharedFolder, now: number): Promise<void> {
  for await (const { name } of saves.entries()) {
    if (!name.startsWith(stagingName)) continue
    const found = await saves.status(name)
    if (found !== undefined && now - Number(found.mtimeMs) > abandonedAfter) await saves.remove(name)
  }
}

/** Copies or unpacks everything into the staging folder. */
async function bring({ from }: Pick<ImportOptions, 'from'>, { top, folder }: Staging): Promise<void> {
  const source = await stat(from).catch(() => undefined)
  if (source === undefined) throw new ImportRefused(`There is no file or folder ${from}.`)
  await inSharedFolder(top, async (opened) => {
    const into = join(relative(top, folder), 'save')
    await opened.makeFolder(into)
    await opened.within(into, async (staging) => {
      if (source.isDirectory()) await inSharedFolder(from, (found) => copy(found, staging, '', from))
      else await readArchive(from, unpackTo(staging))
    })
  })
}

/** Copies a folder, without names that begin with a dot. @throws {ImportRefused} for a link */
async function copy(from: SharedFolder, to: SharedFolder, within: string, shown: string): Promise<void> {
  for await (const { name, kind } of from.entries()) {
    if (name.startsWith('.')) continue
    const path = within === '' ? name : `${within}/${name}`
    if (kind === 'link') throw new ImportRefused(`${join(shown, path)} is a link.`)
    if (kind === 'folder') await from.within(name, (below) => copy(below, to, path, shown))
    if (kind !== 'file') continue
    await using file = await from.open(name, 'read')
    await place(to, path, piecesOf(file))
  }
}

async function chosen({ top, folder }: Staging, name: string | undefined): Promise<Save> {
  const found = await savesWithin(top, folder)
  const names = found.map((one) => one.name).sort()
  const fitting = name === undefined ? found : found.filter((one) => one.name === name)
  const [save, ...others] = fitting
  if (save !== undefined && others.length === 0) return save
  if (found.length === 0)
    throw new ImportRefused(
      `There is no save in it: a folder with ${infoFile} and a file such as Clover_123456789.`,
    )
  throw new ImportRefused(
    `It has the saves ${names.join(', ')}: name one of them with --save (over HTTP save=).`,
  )
}

/** Gives the save the owner of the other saves, and renames it to its name. @param from its path among the saves */
async function putIn(saves: SharedFolder, { name }: Save, from: string): Promise<void> {
  if ((await saves.status(name)) !== undefined)
    throw new ImportRefused(`There is a save ${name} already; nothing was changed.`, 'exists')
  const owner = siblingOf(await saves.own())
  await saves.within(from, (folder) => settled(folder, owner))
  await saves.rename(from, name)
  await saves.sync()
}

/** @throws {ImportRefused} the game could not write to it */
const settled = (folder: SharedFolder, owner: Sibling): Promise<void> =>
  settleFiles(folder, owner).catch((error: unknown) => {
    throw error instanceof NotWritable
      ? new ImportRefused(
          `The game's user (${error.uid}) could not write to the save: run the import as that user or as root.`,
          'folder',
        )
      : error
  })

const factsOf = ({ save, facts, files }: ExaminedSave): FoundSave => ({
  save: save.name,
  farmName: facts.farmName,
  day: facts.day,
  host: facts.host,
  people: facts.people,
  bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
})
