/** Finds what a restore needs: the backup by its id, the save to replace, and the backup of that save beforehand. */
import type { RestoredBackup } from '../../handlers/backup-list.ts'
import { FarmError, farmgateCannot } from '../../handlers/farm-error.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { Status } from '../../handlers/game-records.ts'
import type { Clock } from '../../lib/clock.ts'
import { errorCode } from '../../lib/error-code.ts'
import type { Log } from '../../lib/log.ts'
import { type ExaminedSave, examineSave } from '../saves/examine-save.ts'
import { markOf } from '../saves/list-saves.ts'
import { SavesInUse, whileLocked } from '../saves/lock-saves.ts'
import {
  activeSave,
  farmNumber,
  inSaves,
  namesOfSaves,
  type Save,
  saveAmong,
  savesState,
} from '../saves/saves-folder.ts'
import type { RightFarm } from '../saves/watch-right-farm.ts'
import type { BackupStore } from './backup-store.ts'
import type { KeptBackup } from './kept-backup.ts'
import { backUpTornSave } from './make-backup.ts'
import { reloadAfterUndo } from './reload-game.ts'
import { runRestore } from './run-restore.ts'
import { type EndedSwap, LeftAside, recoverSwap } from './swap-save.ts'

export interface RestoringParts {
  readonly savesDir: string | undefined
  readonly store: BackupStore
  readonly game: Pick<GameBridge, 'status' | 'health' | 'players' | 'reload'>
  /** Backs up a whole save. @returns undefined when it changed meanwhile */
  readonly backUpWhole: (examined: ExaminedSave) => Promise<KeptBackup | undefined>
  readonly rightFarm: Pick<RightFarm, 'expect' | 'allow' | 'disallow' | 'checkReload'>
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  /** Called with what to do, when the game may play a save that is no longer on the disk. */
  readonly onAlarm: (what: string) => void
}

/**
 * @returns undefined when there is no such backup
 * @throws {FarmError} @throws the error of the file system
 */
export async function restoreById(
  parts: RestoringParts,
  id: string,
  isDryRun: boolean,
): Promise<RestoredBackup | undefined> {
  const { savesDir, store, rightFarm } = parts
  const backup = (await store.list()).find((one) => one.id === id)
  if (backup === undefined) return undefined
  if (savesDir === undefined || (await savesState(savesDir)) !== 'mounted')
    throw unsupported('no saves folder is mounted, or it is read-only (SAVES_DIR)')
  if (isDryRun) return restore(parts, savesDir, backup, true)
  rightFarm.checkReload()
  return whileLocked(savesDir, async () => {
    await endAndReload(savesDir, parts)
    const mark = markOf({ ...backup, name: backup.save })
    await rightFarm.allow(mark)
    try {
      const restored = await restore(parts, savesDir, backup, false)
      await rightFarm.expect(mark)
      return restored
    } catch (error) {
      await rightFarm.disallow(mark)
      throw error
    }
  }).catch(restoreRefused)
}

async function restore(
  parts: RestoringParts,
  savesDir: string,
  backup: KeptBackup,
  isDryRun: boolean,
): Promise<RestoredBackup> {
  const { store, game, clock, log } = parts
  const { id } = backup
  const active = await saveToReplace(savesDir, await game.status(), backup)
  const makeSafetyBackup = () => safetyBackup(parts, active, backup)
  const restored = await runRestore(
    {
      game,
      clock,
      savesDir,
      active,
      backup,
      archive: store.path(id),
      makeSafetyBackup,
      onLeftOver: (error) =>
        log.warn({ cause: String(error) }, 'the save from before a restore could not be removed'),
      onNotUndone: (error, failure) =>
        log.error({ cause: String(error), failure }, 'a restore could not be undone'),
    },
    isDryRun,
  )
  if (!isDryRun) log.info({ id, safetyBackup: restored.safetyBackup }, 'a backup is restored')
  return restored
}

/** Ends an interrupted restore, and logs how. @throws {LeftAside} @throws the error of the file system */
export async function endInterruptedRestore(
  savesDir: string,
  { log, clock }: Pick<RestoringParts, 'log' | 'clock'>,
): Promise<EndedSwap | undefined> {
  const ended = await recoverSwap(savesDir, clock.now()).catch((error: unknown) => {
    // The game makes the folder with its first save.
    if (errorCode(error) === 'ENOENT') return undefined
    log.error({ cause: String(error) }, 'a restore that was interrupted could not be ended')
    throw error
  })
  if (ended === undefined) return undefined
  const { save, end } = ended
  if (end === 'undone')
    log.warn({ save }, 'a restore was interrupted and is undone: the save is as before it')
  if (end === 'finished')
    log.warn({ save }, 'a restore was interrupted and is finished: the restored save stays')
  return ended
}

/** As `endInterruptedRestore`; where it was undone, the game then loads the save in its place. */
export async function endAndReload(savesDir: string, parts: RestoringParts): Promise<void> {
  const ended = await endInterruptedRestore(savesDir, parts)
  if (ended?.owed !== undefined) await reloadAfterUndo(parts, savesDir, ended.owed)
}

function restoreRefused(error: unknown): never {
  throw error instanceof LeftAside || error instanceof SavesInUse
    ? new FarmError({ kind: 'restore_refused', sentence: `${error.message}; nothing was changed` })
    : error
}

/**
 * The save that the game plays. Where the game cannot load its save, or its files no longer name their farm, it is the
 * save of the backup.
 */
async function saveToReplace(savesDir: string, status: Status, backup: KeptBackup): Promise<Save> {
  const { farmName } = status
  const found = await activeSave(savesDir, status)
  if (found !== undefined) return found
  const isThere = await inSaves(savesDir, (saves) => saves.status(backup.save)).then(
    (status) => status?.isDirectory() === true,
    () => false,
  )
  const names = isThere ? [backup.save] : await namesOfSaves(savesDir).catch(() => [])
  // A folder that was renamed is still this farm.
  const [own, ...others] = names.filter((name) => farmNumber(name) === farmNumber(backup.save))
  const isNamed = farmName === '' || farmName === backup.farmName
  if (own !== undefined && others.length === 0 && isNamed) return saveAmong(savesDir, own)
  throw unsupported('SAVES_DIR has no save of this farm (farmgate import puts one there)')
}

/** @throws {FarmError} save_in_progress */
async function safetyBackup(parts: RestoringParts, active: Save, backup: KeptBackup): Promise<KeptBackup> {
  const { store, backUpWhole, clock, log } = parts
  const examined = await examineSave(active)
  if (examined === undefined)
    log.warn({ save: active.name }, 'the save is not whole: it is copied as it is before it is restored')
  const last = (await store.list()).find(({ save }) => save === active.name) ?? backup
  const made = await (examined === undefined
    ? backUpTornSave(store, active, last, clock.now())
    : backUpWhole(examined))
  if (made === undefined) throw new FarmError({ kind: 'save_in_progress' })
  return made
}

const unsupported = (why: string) => farmgateCannot(`restore a backup: ${why}`)
