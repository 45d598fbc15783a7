/** Backs up the save of each game day once; `save-watcher.ts` calls it. */

import type { KeptBackup } from './backup-index.ts'
import { backupOfContent } from './backup-of-content.ts'
import type { BackupStore } from './backup-store.ts'
import { type ExaminedSave, examineSave, stateOf } from './examine-save.ts'
import type { Looked } from './save-watcher.ts'
import { findSave } from './saves-folder.ts'

interface DailyParts {
  readonly store: BackupStore
  /** @returns undefined when the save has changed meanwhile */
  make(examined: ExaminedSave, reason: 'day'): Promise<KeptBackup | undefined>
  /** Called when there is a backup of the save already. */
  onKnown(): void
  readonly now: () => number
}

/**
 * @returns a function that examines the save of a farm in `SAVES_DIR`, and backs it up when it is whole, was played, and
 *   has no verified backup yet; it throws the error of the file system
 */
export function backUpEachDay({ store, make, onKnown, now }: DailyParts) {
  /** State of the save that was examined last, so that an unchanged save is not read again. */
  let settledState: string | undefined
  return async (dir: string, farmName: string, isPlayed: boolean): Promise<Looked> => {
    const save = await findSave(dir, farmName)
    const state = save === undefined ? undefined : await stateOf(save)
    if (save === undefined || state === undefined) return 'later'
    if (settledState === state.text) return 'settled'
    const examined = await examineSave(save)
    if (examined === undefined) return 'later'
    if ((await backupOfContent(store, examined, now)) !== undefined) onKnown()
    else if (isPlayed && (await make(examined, 'day')) === undefined) return 'later'
    settledState = examined.state
    return 'settled'
  }
}
