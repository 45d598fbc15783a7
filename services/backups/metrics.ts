/** The series of the backups. Those of off-site copies are 0 without `BACKUP_S3_URL`. */

import type { BackupList } from '../../handlers/backup-list.ts'
import type { BackupRecord } from '../../handlers/backup-record.ts'
import type { Registry } from '../../lib/prom-client.ts'
import { counter, gauge } from '../../lib/series.ts'
import type { OpenBackups } from './open-backups.ts'

type Measured = Pick<OpenBackups, 'port' | 'counts' | 'copies' | 'isFailing' | 'damaged'>

export function measureBackups(registry: Registry, measured: Measured): void {
  const { port, counts, copies, isFailing, damaged } = measured
  /** @returns undefined, which leaves the series as they are, while the folder is unreadable */
  const listed = () => port.backups().catch(() => undefined)
  const countOf = async (isCounted: (backup: BackupRecord) => boolean) =>
    (await listed())?.backups.filter(isCounted).length
  /** Unknown until the folder was read. */
  let verifiedAt = Number.NaN
  gauge(registry, 'farmgate_backups', 'Backups in BACKUP_DIR', () => countOf(() => true))
  gauge(
    registry,
    'farmgate_backup_last_verified_timestamp_seconds',
    'When the last backup was made and read back, in seconds since 1970; 0 while there is none, NaN without SAVES_DIR',
    async () => {
      const list = await listed()
      if (list !== undefined) verifiedAt = verificationIn(list)
      return verifiedAt
    },
  )
  gauge(registry, 'farmgate_backup_failing', '1 while the last try to back up the save has failed', () =>
    isFailing() ? 1 : 0,
  )
  gauge(
    registry,
    'farmgate_backups_damaged',
    'Backups that were damaged when they were last read, and cannot be restored',
    () => damaged().catch(() => undefined),
  )
  counter(registry, 'farmgate_backups_made_total', 'Backups made and read back', () => counts.made)
  counter(registry, 'farmgate_backups_failed_total', 'Backups that could not be made', () => counts.failed)
  counter(
    registry,
    'farmgate_backups_removed_total',
    'Backups removed by BACKUP_KEEP',
    () => counts.removedByRule,
  )
  gauge(
    registry,
    'farmgate_backup_copies_waiting',
    'Backups whose off-site copy was not made yet, or has failed',
    () => countOf(({ offsite }) => offsite === 'pending' || offsite === 'failed'),
  )
  counter(
    registry,
    'farmgate_backup_copies_made_total',
    'Off-site copies, made and read back',
    () => copies?.counts.made ?? 0,
  )
  counter(
    registry,
    'farmgate_backup_copies_failed_total',
    'Tries to make or remove an off-site copy that have failed',
    () => copies?.counts.failed ?? 0,
  )
}

/** @returns seconds since 1970; 0 for no backup, and NaN where none can be made */
function verificationIn({ state: { saves, lastVerifiedAt } }: BackupList): number {
  if (lastVerifiedAt !== undefined) return Date.parse(lastVerifiedAt) / 1000
  return saves === 'absent' ? Number.NaN : 0
}
