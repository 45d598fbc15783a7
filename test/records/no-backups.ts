/** Backups of a farm that has none and whose saves are not mounted. */
import type { Backups } from '../../handlers/backups.ts'
import { FarmError } from '../../handlers/farm-error.ts'

export const noBackups: Backups = {
  backups: async () => ({ backups: [], state: { saves: 'absent', nextAfter: 'game day' } }),
  makeBackup: () => Promise.reject(new FarmError({ kind: 'unsupported', what: 'make a backup' })),
  restoreBackup: async () => undefined,
  removeBackup: async () => false,
  readBackup: async () => undefined,
}
