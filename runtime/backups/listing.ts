/** Backups as the API shows them. */
import type { BackupList, BackupRecord } from '../../handlers/backup-record.ts'
import type { KeptBackup } from './backup-index.ts'

export const recordOf = (kept: KeptBackup): BackupRecord => ({
  id: kept.id,
  madeAt: kept.madeAt,
  reason: kept.reason,
  farmName: kept.farmName,
  season: kept.season,
  day: kept.day,
  year: kept.year,
  bytes: kept.bytes,
  ...(kept.verifiedAt !== undefined && { verifiedAt: kept.verifiedAt }),
  elsewhere: kept.elsewhere,
})

export function listOf(kept: readonly KeptBackup[], saves: BackupList['state']['saves']): BackupList {
  const verified = kept.flatMap(({ verifiedAt }) => verifiedAt ?? []).sort()
  const lastVerifiedAt = verified.at(-1)
  return {
    backups: kept.map(recordOf),
    state: { saves, ...(lastVerifiedAt !== undefined && { lastVerifiedAt }), nextAfter: 'game day' },
  }
}
