/**
 * Restores a backup: replaces the whole save, and puts the old one back unless the game confirms the new one
 * (docs/backups.md).
 */
import { join, relative } from 'node:path'
import type { RestoredBackup } from '../../handlers/backup-list.ts'
import { dayNumber } from '../../handlers/backup-record.ts'
import { FarmError } from '../../handlers/farm-error.ts'
import type { Status } from '../../handlers/game-records.ts'
import { requireNoNight } from '../../handlers/no-night.ts'
import { requireNoPlayers } from '../../handlers/no-players.ts'
import { errorCode } from '../../lib/error-code.ts'
import { wrongEntry } from '../../lib/shared-folder/access.ts'
import { BrokenArchive } from '../archives/broken-archive.ts'
import { NotWritable, type Sibling, settleFiles, siblingOf } from '../archives/settle-files.ts'
import { type ExaminedSave, examineSave, stateOf } from '../saves/examine-save.ts'
import { allSaves, farmNumber, inSave, inSaves, type Save, savesName } from '../saves/saves-folder.ts'
import { savesWithin } from '../saves/saves-within.ts'
import { apart } from './archive-apart.ts'
import type { UnpackedInto } from './archive-calls.ts'
import type { KeptBackup } from './kept-backup.ts'
import { type Reloaded, type ReloadParts, reload } from './reload-game.ts'
import {
  digestOf,
  forgetReload,
  type OwedReload,
  oldName,
  runAll,
  type SwapStep,
  stagingName,
  swapSteps,
  undoSteps,
} from './swap-save.ts'

export interface RestoreParts extends ReloadParts {
  /** `SAVES_DIR` */
  readonly savesDir: string
  /** The save that the game plays. */
  readonly active: Save
  readonly backup: KeptBackup
  /** Path of the archive of the backup. */
  readonly archive: string
  /** Backs up the active save. @throws {FarmError} save_in_progress */
  readonly makeSafetyBackup: () => Promise<KeptBackup>
  /** Called when the old save cannot be removed although the restore is complete. */
  readonly onLeftOver: (error: unknown) => void
  /** Called when the restore has failed and the old save could not be put back. @param failure why it has failed */
  readonly onNotUndone: (error: unknown, failure: string) => void
}

/**
 * @param isDryRun changes nothing; the message says what would be lost
 * @throws {FarmError} players_connected, save_in_progress, restore_refused (nothing was changed), restore_undone; as
 * `undo`
 * @throws the error of the file system, with the old save in its place
 */
export async function runRestore(parts: RestoreParts, isDryRun: boolean): Promise<RestoredBackup> {
  const { game, active, backup } = parts
  if (!isDryRun) await requireIdle(game)
  if (backup.torn === true)
    throw refused('The backup is of a save that was not whole, which the game cannot load')
  // A folder that was renamed is still this farm.
  if (farmNumber(backup.save) !== farmNumber(active.name))
    throw refused(`The backup is of the save ${backup.save}, and the game plays ${active.name}`)
  const found = await game.status()
  const lost = lostWords(backup, found)
  if (isDryRun) {
    await read(parts)
    return { message: `${dayWords(backup)} would be restored; ${lost}` }
  }
  const { safetyBackup, confirm, finish } = await placeNew(parts)
  const before = await game.status().catch(() => found)
  const reloaded = await reload(parts)
  const wrong = whatIsWrong(parts, before, reloaded) ?? (await whatFailed(confirm))
  if (wrong !== undefined) {
    const words = (await putBack(parts, safetyBackup, reloaded, wrong))
      ? 'is in its place again, and the game plays it'
      : 'is in its place again: restart the game, which does not play it'
    throw new FarmError({ kind: 'restore_undone', sentence: `${wrong}; the save from before ${words}` })
  }
  await runAll(finish).catch(parts.onLeftOver)
  const restored = `${dayWords(backup)} is restored; ${lost}`
  return {
    message:
      wasAtDayOf(before, backup) && before.timeOfDay <= latestMorning ? `${restored}; ${unsure}` : restored,
    safetyBackup: safetyBackup.id,
  }
}

/**
 * Backs up the old save after checking the backup, and puts the new save in its place.
 * @throws any failure, with the old save in its place, or as `undo`
 */
async function placeNew(parts: RestoreParts) {
  const { game, savesDir, active } = parts
  try {
    const steps = swapSteps(savesDir, active.name, await makeReady(parts))
    const safetyBackup = await parts.makeSafetyBackup()
    // Asked again, because a player may have joined meanwhile, or the night may have begun.
    await requireIdle(game)
    await runAll(steps.place)
    return { ...steps, safetyBackup }
  } catch (error) {
    await undo(parts, String(error))
    throw error
  }
}

/**
 * Requires that no player is connected and the game does not save. @throws {FarmError} players_connected,
 * save_in_progress
 */
async function requireIdle(game: RestoreParts['game']): Promise<void> {
  await requireNoPlayers(game)
  await requireNoNight(game)
}

/** Unpacks the backup next to the saves. @returns the digest of the new save */
async function makeReady(parts: RestoreParts): Promise<string> {
  const { savesDir, active, backup } = parts
  const unpacked = `${stagingName}/${unpackedName}`
  await inSaves(savesDir, async (saves) => {
    await saves.remove(stagingName)
    await saves.makeFolder(unpacked)
  })
  await read(parts, { top: savesDir, folder: `${savesName}/${unpacked}` })
  const found = await saveIn(savesDir, join(allSaves(savesDir), unpacked), backup.save)
  const examined = found && (await examineSave(await renamed(found, active.name)))
  if (examined === undefined) throw notWhole(backup)
  await settleReady(parts, examined)
  return digestOf(examined)
}

/** Gives the main file of an unpacked save the name of the folder that the game has now. */
async function renamed(save: Save, name: string): Promise<Save> {
  if (save.name === name) return save
  await inSave(save, async (folder) => {
    for (const end of ['', '_old'])
      if ((await folder.status(save.name + end)) !== undefined)
        await folder.rename(save.name + end, name + end)
  })
  return { ...save, name }
}

/** The save of a backup of farmgate was whole when it was backed up, and its files were just read as they were then. */
const notWhole = ({ foreign }: KeptBackup): FarmError =>
  refused(
    foreign === true
      ? 'The save in the backup is not whole'
      : 'The unpacked save is not whole: another program may have changed it',
  )

/** Puts the new save at the top of the staging folder, and gives it to the game. @throws {FarmError} restore_refused */
async function settleReady({ savesDir, active }: RestoreParts, { save }: ExaminedSave): Promise<void> {
  const sibling = await ownerOf(active)
  const from = relative(allSaves(savesDir), save.folder)
  await inSaves(savesDir, async (saves) => {
    await saves.rename(from, `${stagingName}/${active.name}`)
    await saves.within(stagingName, (staging) => settleFiles(staging, sibling))
  }).catch((error: unknown) => {
    throw error instanceof NotWritable
      ? refused(
          `The game's user (${error.uid}) could not write to the restored save: run farmgate as that user, or as one of its group that Saves belongs to`,
        )
      : error
  })
}

/**
 * The owner of the game's save. Where the folder is farmgate's own, of an earlier restore, it is the user who has
 * written the save's file since.
 */
const ownerOf = (save: Save): Promise<Sibling> =>
  inSave(save, async (folder) => {
    const own = siblingOf(await folder.own())
    const main = own.uid === process.getuid?.() ? await folder.status(save.name) : undefined
    return main === undefined ? own : { ...own, uid: Number(main.uid) }
  })

/** Reads the archive; one of farmgate must have a manifest. @throws {FarmError} restore_refused */
const read = ({ archive, backup }: RestoreParts, into?: UnpackedInto): Promise<void> =>
  apart((calls) => calls.read(archive, backup.foreign === true, into)).catch(archiveRefused)

/** Name of the folder into which the archive is unpacked, which may contain other farms too. */
const unpackedName = '.unpacked'

/**
 * The save in the unpacked archive. In an archive of farmgate its folder is at the top; others may have another name
 * or place.
 */
async function saveIn(savesDir: string, unpacked: string, name: string): Promise<Save | undefined> {
  const own = { name, top: savesDir, folder: join(unpacked, name) }
  return (await stateOf(own).catch(() => undefined)) === undefined
    ? (await savesWithin(savesDir, unpacked)).find((save) => save.name === name)
    : own
}

/** @returns what is wrong; undefined when the game plays the farm and day of the backup */
function whatIsWrong({ backup }: RestoreParts, before: Status, reloaded: Reloaded): string | undefined {
  if (reloaded === 'refused') return 'The game did not load the backup, because a player joined'
  if (reloaded === 'unknown') return 'The game did not load the backup'
  if (!isOf(reloaded, backup)) return 'The game plays another farm or day than that of the backup'
  // A loaded day begins in the morning.
  const isUnchanged = before.timeOfDay > latestMorning && reloaded.timeOfDay >= before.timeOfDay
  return wasAtDayOf(before, backup) && isUnchanged ? 'The game did not load the backup' : undefined
}

/** Until when, in the game's time, a day may just have been loaded: it begins at 600. */
const latestMorning = 630
const unsure =
  'the game was at the morning of that day before, so nothing shows that it has loaded the backup: restart it to be sure'

const wasAtDayOf = (before: Status, backup: KeptBackup): boolean => before.isOnline && isOf(before, backup)

const isOf = ({ farmName, season, day, year }: Status, backup: KeptBackup): boolean =>
  farmName === backup.farmName && season === backup.season && day === backup.day && year === backup.year

/** @returns the failure; undefined when the confirmation is written to the disk */
const whatFailed = (confirm: SwapStep): Promise<string | undefined> =>
  confirm.run().then(
    () => undefined,
    () => 'The folder of the saves cannot be written to',
  )

/**
 * Puts the old save back and reloads the game, which still plays it if it refused to load the new one.
 * @param safetyBackup that of the old save @param failure why the restore has failed
 * @returns whether the game plays it
 * @throws as `undo`
 */
async function putBack(
  parts: RestoreParts,
  safetyBackup: KeptBackup,
  reloaded: Reloaded,
  failure: string,
): Promise<boolean> {
  const { backup, clock, savesDir } = parts
  const { season, day, year } = backup
  const isOwed = reloaded !== 'refused'
  await undo(parts, failure, isOwed ? { day: { season, day, year }, undoneAt: clock.now() } : undefined)
  if (!isOwed) return true
  const again = await reload(parts)
  if (typeof again !== 'object' || !isOf(again, safetyBackup)) return false
  await forgetReload(savesDir)
  return true
}

/**
 * Puts the old save back. @param failure why the restore has failed
 * @throws {FarmError} disk_failed: the old save may not be in its place. The journal then still exists, so the next start or
 * restore continues with it
 */
const undo = (
  { savesDir, active, onNotUndone }: RestoreParts,
  failure: string,
  owed?: OwedReload,
): Promise<void> =>
  runAll(undoSteps(savesDir, active.name, owed)).catch((error: unknown) => {
    onNotUndone(error, failure)
    const detail = `${wrongEntry(error, 'Saves') ?? errorCode(error) ?? 'the log says why'}; the restore could not be undone, so the save from before may still be ${oldName} in Saves: the next start or restore puts it back`
    throw new FarmError({ kind: 'disk_failed', detail })
  })

const refused = (sentence: string) =>
  new FarmError({ kind: 'restore_refused', sentence: `${sentence}; nothing was changed`.slice(0, 1000) })

function archiveRefused(error: unknown): never {
  throw error instanceof BrokenArchive ? refused(`The archive is refused: ${error.message}`) : error
}

const dayWords = ({ farmName, season, day, year }: KeptBackup) =>
  `${farmName}, ${season} ${day}, year ${year},`

function lostWords(backup: KeptBackup, now: Status): string {
  if (!now.isOnline) return 'no farm was loaded, so what is lost is not known'
  const days = dayNumber(now) - dayNumber(backup)
  if (days < 0) return `it is ${-days} game days ahead of the farm`
  return `${days} game days of the farm and what was done today are lost`
}
