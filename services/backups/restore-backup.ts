/**
 * Restores a backup: replaces the whole save, and puts the old one back unless the game confirms the new one
 * (docs/backups.md).
 */
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { GameDay, RestoredBackup } from '../../handlers/backup-record.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { GameError } from '../../handlers/game-error.ts'
import type { Status } from '../../handlers/game-records.ts'
import { requireNobodyConnected } from '../../handlers/nobody-connected.ts'
import type { Clock } from '../../lib/clock.ts'
import type { KeptBackup } from './backup-index.ts'
import { examineSave, stateOf } from './examine-save.ts'
import { BrokenArchive, readArchive, type TakeFile, verifyArchive } from './read-archive.ts'
import type { Save } from './saves-folder.ts'
import { savesWithin } from './saves-within.ts'
import { settleFiles } from './settle-files.ts'
import { runAll, type SwapStep, stagingOf, swapSteps, undoSteps } from './swap-save.ts'
import { unpackTo } from './unpack.ts'

export interface RestoreParts {
  readonly game: Pick<GameBridge, 'status' | 'players' | 'reload'>
  readonly clock: Pick<Clock, 'now' | 'after'>
  /** The folder of all saves. */
  readonly saves: string
  /** The save that the game plays. */
  readonly active: Save
  readonly backup: KeptBackup
  /** Path of the archive of the backup. */
  readonly archive: string
  /** Backs up the active save. @throws {GameError} save_in_progress */
  readonly makeSafetyCopy: () => Promise<KeptBackup>
  /** Called when the old save cannot be removed although the restore is done. */
  readonly onLeftOver: (error: unknown) => void
  /** Called when the old save could not be put back. */
  readonly onNotUndone: (error: unknown) => void
}

/**
 * @param isDryRun nothing is changed, and the message says what would be lost
 * @throws {GameError} players_connected, save_in_progress, restore_refused (nothing was changed), restore_undone
 * @throws the error of the file system, with the old save in its place
 */
export async function restoreBackup(parts: RestoreParts, isDryRun: boolean): Promise<RestoredBackup> {
  const { game, active, backup } = parts
  if (!isDryRun) await requireIdle(game)
  if (backup.torn === true)
    throw refused('The backup is of a save that was not whole, which the game cannot load')
  if (backup.save !== active.name)
    throw refused(`The backup is of the save ${backup.save}, and the game plays ${active.name}`)
  const lost = lostWords(backup, await game.status())
  if (isDryRun) {
    await read(parts)
    return { message: `${dayWords(backup)} would be restored; ${lost}` }
  }
  const { safety, confirm, finish } = await placeNew(parts)
  const wrong = (await whatIsWrong(parts)) ?? (await whatFailed(confirm))
  if (wrong !== undefined) {
    const words = (await putBack(parts, safety))
      ? 'is in its place again, and the game plays it'
      : 'is in its place again: restart the game, which does not play it'
    throw new GameError({ kind: 'restore_undone', sentence: `${wrong}; the save from before ${words}` })
  }
  await runAll(finish).catch(parts.onLeftOver)
  return { message: `${dayWords(backup)} is restored; ${lost}`, safetyBackup: safety.id }
}

/**
 * Backs up the old save, after the backup has been found whole, and puts the new save in its place.
 * @throws what went wrong, with the old save in its place
 */
async function placeNew(parts: RestoreParts) {
  const { game, saves, active } = parts
  try {
    const steps = swapSteps(saves, active.name, await makeReady(parts))
    const safety = await parts.makeSafetyCopy()
    // Asked again, because somebody may have joined meanwhile, or the night may have begun.
    await requireIdle(game)
    await runAll(steps.place)
    return { ...steps, safety }
  } catch (error) {
    await undo(parts)
    throw error
  }
}

/**
 * Requires that nobody is connected and the game does not save. @throws {GameError} players_connected, save_in_progress
 */
async function requireIdle(game: RestoreParts['game']): Promise<void> {
  await requireNobodyConnected(game)
  const { isOnline, dayTransitionComplete } = await game.status()
  if (isOnline && !dayTransitionComplete) throw new GameError({ kind: 'save_in_progress' })
}

/** Unpacks the backup beside the saves. @returns the state of the new save */
async function makeReady(parts: RestoreParts): Promise<string> {
  const {
    saves,
    active: { name, folder },
  } = parts
  const staging = stagingOf(saves)
  await rm(staging, { recursive: true, force: true })
  const unpacked = join(staging, unpackedName)
  await mkdir(unpacked, { recursive: true })
  await read(parts, unpackTo(unpacked))
  const found = await saveIn(unpacked, name)
  const examined = found && (await examineSave(found).catch(() => undefined))
  if (examined === undefined) throw refused('The save in the backup is not whole')
  await rename(examined.save.folder, join(staging, name))
  await settleFiles(staging, await stat(folder))
  return examined.state
}

/** Reads the archive; one of farmgate must have a manifest. @throws {GameError} restore_refused */
const read = ({ archive, backup }: RestoreParts, take?: TakeFile): Promise<unknown> =>
  (backup.foreign === true ? readArchive : verifyArchive)(archive, take).catch(asRefused)

/** Name of the folder into which the archive is unpacked, which may contain other farms too. */
const unpackedName = '.unpacked'

/**
 * The save in the unpacked archive. In an archive of farmgate its folder is at the top; in others it may have another
 * name or place.
 */
async function saveIn(unpacked: string, name: string): Promise<Save | undefined> {
  const own = { name, folder: join(unpacked, name) }
  return (await stateOf(own).catch(() => undefined)) === undefined
    ? (await savesWithin(unpacked)).find((save) => save.name === name)
    : own
}

/** Reloads the game. @returns what is wrong; undefined when the game plays the farm and day of the backup */
async function whatIsWrong(parts: RestoreParts): Promise<string | undefined> {
  const played = await loaded(parts)
  if (played === undefined) return 'The game did not load the backup'
  return isOf(played, parts.backup) ? undefined : 'The game plays another farm or day than that of the backup'
}

/** Milliseconds that a reloaded game has to report a status. */
const statusWait = 3000
const pause = 100

/** @returns what the game plays then; undefined when it did not load, or does not answer */
async function loaded({ game, clock }: RestoreParts): Promise<Status | undefined> {
  try {
    await game.reload()
    const loadedAt = clock.now()
    for (let waited = 0; waited < statusWait; waited += pause) {
      const status = await game.status()
      // While the game does not answer, this is the last status from before the reload.
      if (status.isOnline && Date.parse(status.lastUpdated) >= loadedAt) return status
      await new Promise<void>((resolve) => void clock.after(pause, resolve))
    }
    return undefined
  } catch {
    return undefined
  }
}

const isOf = ({ farmName, season, day, year }: Status, backup: KeptBackup): boolean =>
  farmName === backup.farmName && season === backup.season && day === backup.day && year === backup.year

/** @returns what failed; undefined when the confirmation is written to the disk */
const whatFailed = (confirm: SwapStep): Promise<string | undefined> =>
  confirm.run().then(
    () => undefined,
    () => 'The folder of the saves cannot be written to',
  )

/**
 * Puts the old save back and reloads the game. @param before the backup of the old save @returns whether the game plays
 * it
 */
async function putBack(parts: RestoreParts, before: KeptBackup): Promise<boolean> {
  await undo(parts)
  const played = await loaded(parts)
  return played !== undefined && isOf(played, before)
}

/** @throws the error of the file system. The journal is then still there, so the next start or restore goes on with it */
const undo = ({ saves, active, onNotUndone }: RestoreParts): Promise<void> =>
  runAll(undoSteps(saves, active.name)).catch((error: unknown) => {
    onNotUndone(error)
    throw error
  })

const refused = (sentence: string) =>
  new GameError({ kind: 'restore_refused', sentence: `${sentence}; nothing was changed`.slice(0, 1000) })

function asRefused(error: unknown): never {
  throw error instanceof BrokenArchive ? refused(`The archive is refused: ${error.message}`) : error
}

const dayWords = ({ farmName, season, day, year }: KeptBackup) =>
  `${farmName}, ${season} ${day}, year ${year},`

const seasons = ['spring', 'summer', 'fall', 'winter']
const daysOfSeason = 28
const dayNumber = ({ year, season, day }: Pick<GameDay, 'day' | 'year'> & { season: string }) =>
  ((year - 1) * seasons.length + seasons.indexOf(season)) * daysOfSeason + day

function lostWords(backup: KeptBackup, now: Status): string {
  if (!now.isOnline) return 'no farm was loaded, so what is lost is not known'
  const days = dayNumber(now) - dayNumber(backup)
  if (days < 0) return `it is ${-days} game days ahead of the farm`
  return `${days} game days of the farm and what was done today are lost`
}
