/** Finds the save of the current farm, in the folder of the game's saves. */

import { constants } from 'node:fs'
import { join, relative } from 'node:path'
import type { BackupList } from '../../handlers/backup-list.ts'
import type { GameDay } from '../../handlers/backup-record.ts'
import type { Status } from '../../handlers/game-records.ts'
import { errorCode } from '../../lib/error-code.ts'
import { inSharedFolder, type SharedFolder } from '../../lib/shared-folder/shared-folder.ts'
import { infoFile } from '../archives/manifest.ts'
import { pointedName } from './pointed-name.ts'
import { factsOf as factsOfText, infoElements, scanText } from './save-text.ts'

/** The end of the names of files that the game is writing. */
export const temporaryEnd = '_STARDEWVALLEYSAVETMP'

/** Maximum of bytes read of a `SaveGameInfo`: it is a farmer, of some hundred kilobytes. */
const maxInfoBytes = 4 * 1024 * 1024

export interface Save {
  /** Its name among the saves, which its largest file has too; `folder` can have another one meanwhile. */
  readonly name: string
  /** The operator's folder, such as `SAVES_DIR`. The game can write everywhere below it. */
  readonly top: string
  /** Absolute, below `top`. */
  readonly folder: string
}

export const savesName = 'Saves'

/** The path of the folder with all saves, for comparisons and messages. @param dir `SAVES_DIR` */
export const allSaves = (dir: string): string => join(dir, savesName)

/** A save among all saves. @param dir `SAVES_DIR` */
export const saveAmong = (dir: string, name: string): Save => ({
  name,
  top: dir,
  folder: join(allSaves(dir), name),
})

/** Opens the folder with all saves. @throws {NotAFolder} @throws the error of the file system */
export const inSaves = <Result>(
  dir: string,
  action: (saves: SharedFolder) => Promise<Result>,
): Promise<Result> => inSharedFolder(dir, (top) => top.within(savesName, action))

/** Opens the folder of a save. @throws {NotAFolder} @throws the error of the file system */
export const inSave = <Result>(
  { top, folder }: Save,
  action: (folder: SharedFolder) => Promise<Result>,
): Promise<Result> => inSharedFolder(top, (opened) => opened.within(relative(top, folder), action))

/** What farmgate may do with the saves. */
export async function savesState(dir: string | undefined): Promise<BackupList['state']['saves']> {
  if (dir === undefined) return 'absent'
  const accessTo = async (folder: SharedFolder) => {
    if (!(await folder.allows(constants.R_OK | constants.X_OK))) return 'absent'
    return (await folder.allows(constants.W_OK)) ? 'mounted' : 'read_only'
  }
  return inSharedFolder(dir, async (top) => {
    // Awaited here: nothing would handle its rejection while the listing is being closed.
    for await (const _ of top.entries()) return await top.within(savesName, accessTo)
    // The game makes `Saves` with its first save.
    return accessTo(top)
  }).catch(() => 'absent')
}

/** A day as the game reports it, whose season can be empty. */
type AnyDay = Omit<GameDay, 'season'> & { readonly season: string }

/** @param today undefined where the game does not report its day, which then matches any */
export const isSameDay = (day: GameDay, today: AnyDay | undefined): boolean =>
  today === undefined || (day.season === today.season && day.day === today.day && day.year === today.year)

/**
 * The save of a farm: the one whose files name it. Of several, the one of the day that the game plays, of those the one
 * that JunimoServer's pointer names, which it loaded at its start, and without it the last written one.
 * @param farmName as the game reports it; empty when it never did, then the only save
 * @param today the day that the game plays, where it is known
 * @throws the error of the file system
 */
export const findSave = async (dir: string, farmName: string, today?: GameDay): Promise<Save | undefined> =>
  (await foundSave(dir, farmName, today))?.save

/** As `findSave`, and whether it is of that day. @throws the error of the file system */
export async function foundSave(
  dir: string,
  farmName: string,
  today: GameDay | undefined,
): Promise<{ readonly save: Save; readonly isOfDay: boolean } | undefined> {
  const read = eachSave(dir, async (folder, name, writtenAt) => ({
    save: saveAmong(dir, name),
    ...(await infoOf(folder, today)),
    writtenAt,
  }))
  const found = await read.catch(noneYet)
  if (farmName === '') return found.length === 1 ? found[0] : undefined
  const all = found.filter((one) => one.farmName === farmName)
  const ofDay = all.filter(({ isOfDay }) => isOfDay)
  const [last, ...others] = (ofDay.length > 0 ? ofDay : all).sort((a, b) =>
    a.writtenAt < b.writtenAt ? 1 : -1,
  )
  if (others.length === 0) return last
  const pointed = await pointedName(dir)
  const isPointed = ({ save }: { readonly save: Save }) =>
    typeof pointed === 'object' && save.name === pointed.name
  return others.find(isPointed) ?? last
}

/**
 * The save that the game plays, by the name of its farm and the day: the one place that every call asks.
 * @param status of the game; while it is offline, its last one @throws the error of the file system
 */
export const activeSave = (
  dir: string,
  { farmName, season, day, year }: Pick<Status, 'farmName' | 'season' | 'day' | 'year'>,
): Promise<Save | undefined> => findSave(dir, farmName, season === '' ? undefined : { season, day, year })

/**
 * The names of the saves that the game loads: also those that a night has cut off, but no empty folder.
 * @param dir `SAVES_DIR` @throws the error of the file system
 */
export const namesOfSaves = (dir: string): Promise<readonly string[]> =>
  eachSave(dir, async (_folder, name) => name)

/** @param writtenAt as of `writtenAtOf` @returns what `read` returns for each folder that is a save */
const eachSave = <Read>(
  dir: string,
  read: (folder: SharedFolder, name: string, writtenAt: bigint) => Promise<Read>,
): Promise<Read[]> =>
  inSaves(dir, async (saves) => {
    const all: Read[] = []
    const readIn = async (folder: SharedFolder, name: string) => {
      const writtenAt = await writtenAtOf(folder, name)
      if (writtenAt !== undefined) all.push(await read(folder, name, writtenAt))
    }
    for await (const { name, kind } of saves.entries())
      if (kind === 'folder' && !name.startsWith('.'))
        await saves.within(name, (folder) => readIn(folder, name)).catch(unlessLate)
    return all
  })

/** The game's number of a farm, which ends the name of its folder also where the rest of it was changed. */
export const farmNumber = (name: string): string => /_([0-9]+)$/.exec(name)?.[1] ?? name

function noneYet(error: unknown): [] {
  if (errorCode(error) !== 'ENOENT') throw error
  return []
}

/** A folder that is unreadable, or no longer a folder, is not the save. */
function unlessLate(error: unknown): void {
  if (errorCode(error) === 'ETIMEDOUT') throw error
}

/**
 * Nanoseconds since 1970; undefined for a folder that is not a save. While the game writes, only the other names
 * exist.
 */
async function writtenAtOf(folder: SharedFolder, name: string): Promise<bigint | undefined> {
  for (const end of ['', '_old', temporaryEnd]) {
    const file = await folder.status(name + end)
    if (file?.isFile() === true) return file.mtimeNs
  }
  return undefined
}

/** The farm's name can differ from that of the folder, which can be renamed. */
async function infoOf(folder: SharedFolder, today: GameDay | undefined) {
  for await (const { info, facts } of infosIn(folder)) {
    const [farmName] = info.values.get('farmName') ?? []
    if (farmName !== undefined)
      return { farmName, isOfDay: facts !== undefined && isSameDay(facts.day, today) }
  }
  return { farmName: undefined, isOfDay: false }
}

/**
 * What each readable `SaveGameInfo` says: the file itself, the older copy that the game keeps, and the one that it is
 * writing. It names only the host of the people; `facts` is undefined where something is missing.
 */
export async function* infosIn(folder: SharedFolder) {
  for (const end of ['', '_old', temporaryEnd]) {
    const text = await folder.read(infoFile + end, maxInfoBytes).catch(() => undefined)
    if (text === undefined) continue
    const scan = scanText(infoElements)
    scan.take(text)
    const info = scan.found()
    yield { info, facts: factsOfText(info, { ...info, values: new Map() }) }
  }
}
