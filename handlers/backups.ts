/**
 * The third port: backups of the farm's save. The farm's own process makes and keeps them, in `services/backups/`.
 * Every rejection is a `FarmError`.
 */

import type { BackupList, RestoredBackup } from './backup-list.ts'
import type { BackupPiece, MadeBackup } from './backup-record.ts'

/** Milliseconds that making and restoring a backup may take. A save of 50 MB on a slow disk takes most of it. */
export const backupBudgets = { make: 130_000, restore: 400_000 } as const

export interface Backups {
  /** The same object until a backup is made, verified or removed. Also answers where no saves are mounted. */
  backups(): Promise<BackupList>
  /**
   * Makes a backup of the current save; returns the existing one where a verified backup of the same save exists.
   * @throws {FarmError} save_in_progress, unsupported, disk_low
   */
  makeBackup(): Promise<MadeBackup>
  /**
   * Replaces the save that the game plays with a backup, and makes the game load it.
   * @param isDryRun changes nothing; the message says what would be lost
   * @returns undefined when there is no such backup
   * @throws {FarmError} players_connected, save_in_progress, unsupported, restore_refused, restore_undone
   */
  restoreBackup(id: string, isDryRun: boolean): Promise<RestoredBackup | undefined>
  /** @returns false when there is no such backup */
  removeBackup(id: string): Promise<boolean>
  /**
   * Reads a piece of an archive, which never changes.
   * @param from the first byte
   * @param length bytes, `maxPiece` at most; the piece is shorter at the end of the archive
   * @returns undefined when there is no such backup
   */
  readBackup(id: string, from: number, length: number): Promise<BackupPiece | undefined>
}
