/** Imports another save: a zip or a folder, of SMAPI, of farmgate or of a player (docs/backups.md, "Import"). */

import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { GameDay } from '../../handlers/backup-record.ts'
import type { SaveHost } from '../../handlers/save-host.ts'
import { errorCode } from '../../lib/error-code.ts'
import { isMissing } from '../../lib/shared-folder/access.ts'
import { inSharedFolder, type SharedFolder } from '../../lib/shared-folder/shared-folder.ts'
import { NotWritable, type Sibling, settleFiles, siblingOf } from '../archives/settle-files.ts'
import type { ExaminedSave } from './examine-save.ts'
import { importApart } from './import-apart.ts'
import type { ImportedFrom, Staging } from './import-calls.ts'
import { ImportRefused } from './import-refused.ts'
import { SavesInUse, whileLocked } from './lock-saves.ts'
import { allSaves, inSaves, type Save, savesName } from './saves-folder.ts'

export interface ImportOptions extends ImportedFrom {
  /** `SAVES_DIR`; undefined to examine the save only. */
  readonly savesDir: string | undefined
  /** Examines the save only. */
  readonly isCheck?: boolean
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
  const { savesDir, isCheck, from } = options
  if (savesDir !== undefined && isCheck !== true)
    return whileImporting(savesDir, () => addSave(savesDir, options, now))
  const mayWrite = (saves: SharedFolder) => saves.allows(constants.W_OK)
  const isAmongSaves = savesDir !== undefined && (await inSaves(savesDir, mayWrite).catch(() => false))
  const check = async (staging: Staging) => factsOf(await brought(options, staging))
  return isAmongSaves
    ? inStaging({ top: savesDir, within: savesName }, now, check)
    : inStaging({ top: dirname(from) }, now, check).catch((error: unknown) => {
        if (isMissing(error)) throw new ImportRefused(`There is no file or folder ${from}.`)
        const code = errorCode(error) ?? ''
        throw ['EACCES', 'EPERM', 'EROFS'].includes(code)
          ? new ImportRefused(
              `It cannot be unpacked next to ${from} (${code}): name the folder that holds Saves with --saves.`,
              'folder',
            )
          : error
      })
}

const brought = ({ from, save }: ImportedFrom, staging: Staging): Promise<ExaminedSave> =>
  importApart((calls) => calls.bring({ from, save }, staging))

/**
 * Runs an action with a new folder, which is removed after it, as are those of killed processes. It is on the disk of
 * the destination: the folder for temporary files can be in memory.
 * @param place the operator's folder, and one in it
 */
async function inStaging<Result>(
  { top, within }: { readonly top: string; readonly within?: string },
  now: number,
  action: (staging: Staging) => Promise<Result>,
): Promise<Result> {
  const name = `${stagingName}${randomBytes(12).toString('hex')}`
  const inParent = <Done>(act: (parent: SharedFolder) => Promise<Done>) =>
    inSharedFolder(top, (opened) => (within === undefined ? act(opened) : opened.within(within, act)))
  await inParent(async (parent) => {
    await removeAbandoned(parent, now)
    await parent.makeNew(name, 0o700)
  })
  try {
    return await action({ top, folder: join(top, within ?? '', name) })
  } finally {
    await inParent((parent) => parent.remove(name))
  }
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

/** As `importSave`, in `whileImporting`. The last step is a rename on one file system. */
export const addSave = (savesDir: string, options: ImportedFrom, now: number): Promise<FoundSave> =>
  inStaging({ top: savesDir, within: savesName }, now, async (staging) => {
    const found = await brought(options, staging)
    await inSaves(savesDir, (saves) =>
      putIn(saves, found.save, relative(allSaves(savesDir), found.save.folder)),
    )
    return factsOf(found)
  })

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

export const factsOf = ({ save, facts, files }: ExaminedSave): FoundSave => ({
  save: save.name,
  farmName: facts.farmName,
  day: facts.day,
  host: facts.host,
  people: facts.people,
  bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
})
