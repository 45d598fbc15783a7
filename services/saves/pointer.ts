/** JunimoServer's pointer to the save that its next start loads (docs/backups.md, "Saves"). */
import { constants } from 'node:fs'
import { FarmError } from '../../handlers/farm-error.ts'
import type { HostOperation } from '../../handlers/host-record.ts'
import type { NextSave } from '../../handlers/save-record.ts'
import { errorCode } from '../../lib/error-code.ts'
import { isMissing } from '../../lib/shared-folder/access.ts'
import { settleFiles, siblingOf } from '../archives/settle-files.ts'
import { inPointerFolder, pointedName, pointerFile } from './pointed-name.ts'
import { farmNumber, namesOfSaves } from './saves-folder.ts'

const stagingName = '.farmgate-pointer'

/**
 * Repairs JunimoServer's pointer. @param names the save that it names, and the one that it is to name
 * @param by who asked for it, if anyone @throws {FarmError} disk_failed
 */
export type Repair = (
  dir: string,
  names: { readonly from: string; readonly to: string },
  by?: HostOperation['by'],
) => Promise<void>

/**
 * What the next start of the game loads.
 * @param dir `SAVES_DIR` @throws the error of the file system, for the folder of the saves
 */
export async function nextSave(dir: string): Promise<NextSave> {
  const pointed = await pointedName(dir)
  if (typeof pointed === 'string') return { state: pointed }
  const { name } = pointed
  const names: readonly string[] = await namesOfSaves(dir).catch((error: unknown) => {
    if (isMissing(error)) return []
    throw error
  })
  if (names.includes(name)) return { state: 'ok', name, save: name }
  const fitting = /_[0-9]+$/.test(name) ? names.filter((one) => farmNumber(one) === farmNumber(name)) : []
  const [save] = fitting
  return save !== undefined && fitting.length === 1
    ? { state: 'repairable', name, save }
    : { state: 'missing', name }
}

/** Whether farmgate can write the pointer. Never rejects. */
export const canPoint = (dir: string): Promise<boolean> =>
  inPointerFolder(dir, (folder) => folder.allows(constants.W_OK | constants.X_OK)).catch(() => false)

/**
 * Has the next start of the game load a save, and reads it back: the game can have changed it meanwhile.
 * @throws {FarmError} disk_failed
 */
export async function loadNext(dir: string, name: string): Promise<void> {
  await pointTo(dir, name).catch((error: unknown) => {
    throw notWritten(errorCode(error) ?? String(error))
  })
  if ((await nextSave(dir)).save !== name) throw notWritten('the game has changed it meanwhile')
}

/** Has the next start of the game create a new farm. @throws {FarmError} disk_failed */
export async function loadNone(dir: string): Promise<void> {
  await inPointerFolder(dir, async (folder) => {
    // A folder would be removed with all that is in it.
    if ((await folder.status(pointerFile))?.isFile() === false) throw new Error('it is not a file')
    await folder.remove(pointerFile)
    await folder.sync()
  }).catch((error: unknown) => {
    throw notWritten(errorCode(error) ?? String(error))
  })
  if ((await nextSave(dir)).state !== 'none') throw notWritten('the game has changed it meanwhile')
}

const notWritten = (why: string) =>
  new FarmError({
    kind: 'disk_failed',
    detail: `JunimoServer's pointer cannot be written: ${why.slice(0, 200)}`,
  })

/**
 * Has the next start of the game load a save: after a crash or a power cut the file is the old or the new one. Call it
 * for a name of a save that is there.
 * @throws {NotWritable} where the game could not write to it @throws the error of the file system
 */
export const pointTo = (dir: string, name: string): Promise<void> =>
  inPointerFolder(dir, async (folder) => {
    const sibling = siblingOf((await folder.status(pointerFile)) ?? (await folder.own()))
    await folder.remove(stagingName)
    await folder.makeNew(stagingName, 0o700)
    try {
      await folder.within(stagingName, async (staging) => {
        await staging.write(pointerFile, `${pointerFile}.new`, JSON.stringify({ SaveNameToLoad: name }))
        await settleFiles(staging, { ...sibling, mode: sibling.mode | 0o700 })
      })
      await folder.rename(`${stagingName}/${pointerFile}`, pointerFile)
      await folder.sync()
    } finally {
      await folder.remove(stagingName)
    }
  })
