/** The list of backups and the outcome of a restore, which only the farm itself answers (docs/backups.md). */
import * as v from 'valibot'
import { backupRecord } from './backup-record.ts'
import { described } from './described.ts'
import { timestamp } from './game-records.ts'

/** Why no backup is made. */
const backupFailure = described(
  'Set while the last attempt has failed. `no_day`: the game has not reported a day for 15 minutes. `not_whole`: the save is incomplete, or of another day. `disk_low`: only the reserve of free space is left. `other`: the log has the cause.',
  v.picklist(['no_day', 'not_whole', 'disk_low', 'other']),
)
export type BackupFailure = v.InferOutput<typeof backupFailure>

export const backupList = v.object({
  backups: described('Newest first.', v.array(backupRecord)),
  state: v.object({
    saves: described(
      '`absent`: farmgate sees no saves. `read_only`: backups are possible, but no restore.',
      v.picklist(['mounted', 'read_only', 'absent']),
    ),
    lastVerifiedAt: v.optional(described('When the newest verified backup was made.', timestamp)),
    failing: v.optional(backupFailure),
    nextAfter: v.literal('game day'),
  }),
})
export type BackupList = v.InferOutput<typeof backupList>

export const restoredBackup = v.object({
  message: described('A sentence: what is restored, or would be, and what is lost.', v.string()),
  safetyBackup: v.exactOptional(
    described('The id of the backup of the save before it was replaced.', v.string()),
  ),
})
export type RestoredBackup = Readonly<v.InferOutput<typeof restoredBackup>>
