/**
 * The end of an import of a farm (`farm-file.ts`) whose process was killed. Settings and records wait next to their
 * places under a name that ends with that of the save. The rename of the save decides: once it is in its place, they
 * belong into theirs; before, they are removed.
 */
import { readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { syncFolder } from '../../lib/atomic-file.ts'
import { errorCode } from '../../lib/error-code.ts'
import type { Log } from '../../lib/log.ts'
import { isMissing } from '../../lib/shared-folder/access.ts'
import { inSharedFolder } from '../../lib/shared-folder/shared-folder.ts'
import { databaseFile } from '../records/database.ts'
import { SavesInUse, whileLocked } from './lock-saves.ts'
import { savesName } from './saves-folder.ts'

/** Where the parts of a farm are; a missing place is left out of the file, and not written by an import. */
export interface FarmPlaces {
  /** `SAVES_DIR` */
  readonly savesDir?: string | undefined
  /** `SETTINGS_PATH` */
  readonly settingsPath?: string | undefined
  /** `DATA_DIR` */
  readonly dataDir?: string | undefined
}
type WithSaves = FarmPlaces & { readonly savesDir: string }

export interface EndedImport {
  /** The name of the save's folder. */
  readonly save: string
  readonly end: 'finished' | 'undone'
}

/** Where a part waits until the save is in its place. @param to its place */
export const stagedName = (to: string, save: string): string => `${to}.farmgate-import-${save}`

/** The parts that wait, with their places and their saves. @throws the error of the file system */
async function waiting({ settingsPath, dataDir }: FarmPlaces) {
  const found: { readonly path: string; readonly to: string; readonly save: string }[] = []
  for (const to of [settingsPath, dataDir && join(dataDir, databaseFile)]) {
    if (to === undefined) continue
    const prefix = basename(stagedName(to, ''))
    const names = await readdir(dirname(to)).catch((error: unknown) => {
      if (isMissing(error)) return []
      throw error
    })
    for (const name of names) {
      const save = name.slice(prefix.length)
      // The name of a save does not begin with a dot.
      if (name.startsWith(prefix) && /^[^.]/.test(save))
        found.push({ path: join(dirname(to), name), to, save })
    }
  }
  return found
}

/** Call it while the saves are locked. @returns undefined when nothing waits @throws the error of the file system */
export async function endBegun(places: WithSaves): Promise<EndedImport | undefined> {
  let ended: EndedImport | undefined
  for (const { path, to, save } of await waiting(places)) {
    const isPlaced = await isThere(places.savesDir, save)
    if (isPlaced) await rename(path, to)
    else await rm(path)
    await syncFolder(dirname(to))
    ended = { save, end: isPlaced ? 'finished' : 'undone' }
  }
  return ended
}

/** @throws the error of a missing `SAVES_DIR`: its disk may not be mounted yet */
const isThere = (savesDir: string, save: string): Promise<boolean> =>
  inSharedFolder(savesDir, (top) =>
    top
      .within(savesName, (saves) => saves.status(save))
      .then(
        (found) => found !== undefined,
        (error: unknown) => {
          if (isMissing(error)) return false
          throw error
        },
      ),
  )

/** Ends an interrupted import at a start, before settings and records are read. What fails is logged. */
export async function endInterruptedImport(places: FarmPlaces, log: Pick<Log, 'warn'>): Promise<void> {
  const { savesDir } = places
  if (savesDir === undefined) return
  try {
    if ((await waiting(places)).length === 0) return
    const ended = await whileLocked(savesDir, () => endBegun({ ...places, savesDir }))
    if (ended?.end === 'finished')
      log.warn({ save: ended.save }, 'an import was interrupted and is finished: the imported farm stays')
    if (ended?.end === 'undone')
      log.warn({ save: ended.save }, 'an import was interrupted and is undone: nothing of it was added')
  } catch (error) {
    // An import that is still running ends itself.
    if (error instanceof SavesInUse) return
    log.warn(
      { cause: errorCode(error) ?? String(error) },
      'an import that was interrupted could not be ended',
    )
  }
}
