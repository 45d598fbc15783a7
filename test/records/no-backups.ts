/** Backups of a farm that has none and whose saves are not mounted. */
import type { Backups } from '../../handlers/backups.ts'
import { GameError } from '../../handlers/game-error.ts'

export const noBackups: Backups = {
  backups: async () => ({ backups: [], state: { saves: 'absent', nextAfter: 'game day' } }),
  makeBackup: () => Promise.reject(new GameError({ kind: 'unsupported', what: 'make a backup' })),
  restoreBackup: async () => undefined,
  removeBackup: async () => false,
  readBackup: async () => undefined,
}
