import * as v from 'valibot'
import { restoredBackup } from '../backup-list.ts'
import { backupBudgets } from '../backups.ts'
import { endpoint } from '../endpoint.ts'
import { boolean, optional } from '../parameter.ts'
import { Problem } from '../problem.ts'
import { backupId } from './delete-backup.ts'

export const restoreBackup = endpoint('POST /backups/restore', {
  at: 'farm',
  scope: 'admin',
  tag: 'Backups',
  operationId: 'restoreBackup',
  summary: "Replaces the farm's save with a backup while no one is connected; later changes are lost",
  parameters: {
    ...backupId,
    dryRun: optional(
      boolean({ description: 'Changes nothing, and answers what would be lost', example: 'true' }),
    ),
  },
  result: v.object({ success: v.literal(true), ...restoredBackup.entries }),
  example: {
    success: true,
    message:
      'Clover, summer 5, year 1, is restored; 3 game days of the farm and what was done today are lost',
    safetyBackup: 'Clover-y1-summer-08-20261121T120000000Z',
  },
  budget: backupBudgets.restore,
  problems: [
    'backup_not_found',
    'players_connected',
    'save_in_progress',
    'restart_needed',
    'restore_refused',
    'restore_undone',
    'unsupported',
    'disk_failed',
  ],
  async handle({ query: { id, dryRun = false } }, { backups }) {
    const restored = await backups.restoreBackup(id, dryRun)
    if (restored === undefined) throw new Problem('backup_not_found', 'Backup not found')
    return { success: true as const, ...restored }
  },
})
