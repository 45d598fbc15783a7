/** Finds the save of the farm that runs, in the folder of the game's saves. */
import { constants } from 'node:fs'
import { access, lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BackupList } from '../../handlers/backup-record.ts'
import { scanText } from './save-text.ts'

/** The end of the names of files that the game is writing. */
export const temporaryEnd = '_STARDEWVALLEYSAVETMP'
export const infoFile = 'SaveGameInfo'

export interface Save {
  /** The folder's name, which its largest file has too. */
  readonly name: string
  readonly folder: string
}

/** The folder with all saves. @param dir `SAVES_DIR` */
export const allSaves = (dir: string): string => join(dir, 'Saves')

/** What farmgate may do with the saves. */
export async function savesState(dir: string | undefined): Promise<BackupList['state']['saves']> {
  if (dir === undefined) return 'absent'
  const isEmpty = await readdir(dir).then(
    (names) => names.length === 0,
    () => false,
  )
  // The game makes `Saves` with its first save.
  const folder = isEmpty ? dir : allSaves(dir)
  const may = (mode: number) =>
    access(folder, mode).then(
      () => true,
      () => false,
    )
  if (!(await may(constants.R_OK | constants.X_OK))) return 'absent'
  return (await may(constants.W_OK)) ? 'mounted' : 'read_only'
}

/**
 * The save of a farm: the one whose files name it. Of several, the one that was written last.
 * @param farmName as the game tells it; empty when it never did, then the only save there is
 * @throws the error of the file system
 */
export async function findSave(dir: string, farmName: string): Promise<Save | undefined> {
  const folder = allSaves(dir)
  const found: { save: Save; farmName: string | undefined; writtenAt: number }[] = []
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(noneYet)) {
    if (!entry.isDirectory() || entry.name.startsWith('.')) continue
    const save = { name: entry.name, folder: join(folder, entry.name) }
    const writtenAt = await writtenAtOf(save)
    if (writtenAt !== undefined) found.push({ save, farmName: await farmNameOf(save), writtenAt })
  }
  if (farmName === '') return found.length === 1 ? found[0]?.save : undefined
  return found.filter((one) => one.farmName === farmName).sort((a, b) => b.writtenAt - a.writtenAt)[0]?.save
}

function noneYet(error: unknown): [] {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
  throw error
}

/** Milliseconds since 1970; undefined for a folder that is no save. While the game writes, only the other names exist. */
async function writtenAtOf({ name, folder }: Save): Promise<number | undefined> {
  for (const end of ['', '_old', temporaryEnd]) {
    const file = await lstat(join(folder, name + end)).catch(() => undefined)
    if (file?.isFile() === true) return file.mtimeMs
  }
  return undefined
}

/** The farm's name can be another than that of the folder, which can be renamed. */
async function farmNameOf({ folder }: Save): Promise<string | undefined> {
  for (const end of ['', '_old', temporaryEnd]) {
    const scan = scanText(['farmName'])
    const text = await readFile(join(folder, infoFile + end)).catch(() => undefined)
    if (text === undefined) continue
    scan.take(text)
    const [farmName] = scan.found().values.get('farmName') ?? []
    if (farmName !== undefined) return farmName
  }
  return undefined
}
