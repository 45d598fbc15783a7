/** Backs up the save of each game day once; `day-watcher.ts` calls it. */
import type { GameDay } from '../../handlers/backup-record.ts'
import type { Clock } from '../../lib/clock.ts'
import { type ExaminedSave, examineSave, stateOf } from '../saves/examine-save.ts'
import { findSave, isSameDay } from '../saves/saves-folder.ts'
import { backupOfContent } from './backup-of-content.ts'
import type { BackupStore } from './backup-store.ts'
import type { Looked, PlayedFarm } from './day-watcher.ts'
import type { KeptBackup } from './kept-backup.ts'

interface DailyParts extends Pick<Clock, 'now'> {
  readonly store: BackupStore
  /** @returns undefined when the save has changed meanwhile */
  make(examined: ExaminedSave, reason: 'day'): Promise<KeptBackup | undefined>
  /** Called when the save already has a backup. */
  onKnown(): void
}

/**
 * @returns a function that examines the save of a farm in `SAVES_DIR`, and backs it up when it is whole, was played,
 * and has no verified backup yet; it throws the error of the file system
 */
export function backUpEachDay({ store, make, onKnown, now }: DailyParts) {
  /** The last examined save, so that an unchanged save is not read again. */
  let last: { readonly state: string; readonly day: GameDay; readonly isSettled: boolean } | undefined
  return async (dir: string, { farmName, day: today }: PlayedFarm, hadPlayers: boolean): Promise<Looked> => {
    const save = await findSave(dir, farmName, today)
    const state = save === undefined ? undefined : await stateOf(save)
    if (save === undefined || state === undefined) return 'later'
    // Over a network a save can be seen some seconds after the game has written it. A day without players has none.
    const ofAnotherDay = hadPlayers ? 'later' : 'settled'
    if (last?.state === state.text) {
      if (!isSameDay(last.day, today)) return ofAnotherDay
      if (last.isSettled) return 'settled'
    }
    const examined = await examineSave(save)
    if (examined === undefined) return 'later'
    const { day } = examined.facts
    last = { state: examined.state, day, isSettled: false }
    if (!isSameDay(day, today)) return ofAnotherDay
    if ((await backupOfContent(store, examined, now)) !== undefined) onKnown()
    else if (hadPlayers && (await make(examined, 'day')) === undefined) return 'later'
    last = { ...last, isSettled: true }
    return 'settled'
  }
}
