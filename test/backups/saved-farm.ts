/** A volume of saves in a temporary folder, as the game writes it, and backups of it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type GameSave, savingSteps } from '../../bridges/simulated/save-files.ts'
import { systemClock } from '../../lib/clock.ts'
import { type OneAtATime, oneAtATime } from '../../lib/one-at-a-time.ts'
import { backupStore } from '../../services/backups/backup-store.ts'
import { makeBackup } from '../../services/backups/make-backup.ts'
import { type BackupParts, openBackups } from '../../services/backups/open-backups.ts'
import { noMods } from '../../services/mods/no-mods.ts'
import { examineSave } from '../../services/saves/examine-save.ts'
import { openSaves, type SavesParts } from '../../services/saves/open-saves.ts'
import { loadNext } from '../../services/saves/pointer.ts'
import { findSave } from '../../services/saves/saves-folder.ts'
import { type RightFarmParts, watchRightFarm } from '../../services/saves/watch-right-farm.ts'
import { silent } from '../logs.ts'

export const clover: GameSave = {
  farmName: 'Clover',
  farmId: 123_456_789,
  date: { season: 'summer', day: 5, year: 1 },
  host: 'Server',
  farmhands: ['Abby', 'Robin & Lewis'],
  gameVersion: '1.6.15',
}

export interface SavedFarm {
  /** `SAVES_DIR` */
  readonly savesDir: string
  /** The folder of all saves. */
  readonly saves: string
  /** `BACKUP_DIR` */
  readonly folder: string
  /** `SETTINGS_PATH`, without a file. */
  readonly settingsPath: string
  /** The queue of all who replace the settings file. */
  readonly settingsChanges: OneAtATime
  /** The game saves. @param name of the folder, if it was renamed */
  save(save?: Partial<GameSave>, name?: string): void
  /** The game saves the same day again, with other content. */
  saveAgain(save?: Partial<GameSave>): void
  remove(): void
}

/** @param parent its parent folder */
export function savedFarm(parent = tmpdir()): SavedFarm {
  const root = mkdtempSync(join(parent, 'farmgate-saves-'))
  const saves = join(root, 'game', 'Saves')
  let saved = 0
  return {
    savesDir: join(root, 'game'),
    saves,
    folder: join(root, 'backups'),
    settingsPath: join(root, 'server-settings.json'),
    settingsChanges: oneAtATime(),
    save(save, name) {
      for (const { run } of savingSteps(saves, { ...clover, ...save }, name)) run()
    },
    saveAgain(save) {
      saved += 1
      this.save({ farmhands: [...clover.farmhands, `Farmhand ${saved}`], ...save })
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

/** Expects no farm. */
const anyFarm = (game: RightFarmParts['game']) => rightFarmOf(undefined, game)

/** The farm that the game is expected to play, in memory; it looks when a test calls `tick`. @param savesDir `SAVES_DIR` */
export const rightFarmOf = (savesDir: string | undefined, game: RightFarmParts['game']) =>
  watchRightFarm({
    savesDir,
    game,
    records: { read: async () => undefined, write: async () => undefined },
    repair: (dir, { to }) => loadNext(dir, to),
    report: () => undefined,
    log: silent,
    now: Date.now,
    monotonic: systemClock.monotonic,
  })

/** Backups of that volume, as the farm's own process has them. */
export const backupsOf = (
  { savesDir, folder }: Pick<SavedFarm, 'savesDir' | 'folder'>,
  game: BackupParts['game'],
  more: Partial<BackupParts> = {},
) =>
  openBackups({
    savesDir,
    folder,
    keep: { days: 14, weeks: 8, months: 12 },
    game,
    rightFarm: anyFarm(game),
    clock: systemClock,
    random: Math.random,
    log: silent,
    ...more,
  })

/** Makes a backup of a day. @param madeAt milliseconds since 1970 */
export async function keepDay({ savesDir, folder }: SavedFarm, farmName: string, madeAt: number) {
  const save = await findSave(savesDir, farmName)
  const examined = save && (await examineSave(save))
  if (examined === undefined) throw new Error(`There is no whole save of ${farmName}`)
  await makeBackup(backupStore(folder, Date.now), examined, 'day', madeAt)
}

/** Its saves, as the farm's own process offers them. */
export const savesOf = (
  { savesDir, folder }: Pick<SavedFarm, 'savesDir' | 'folder'>,
  game: SavesParts['game'],
  host: SavesParts['host'],
  more: Partial<SavesParts> = {},
) =>
  openSaves({
    savesDir,
    folder: join(folder, '..', 'uploads'),
    game,
    host,
    settings: undefined,
    mods: noMods,
    rightFarm: anyFarm(game),
    clock: systemClock,
    ...more,
  })
