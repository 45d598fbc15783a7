/** Backups as the API shows them. */
import type { BackupList, BackupRecord } from '../../handlers/backup-record.ts'
import type { KeptBackup } from './backup-index.ts'

/** @param isCopied whether a place for off-site copies is set */
export const recordOf = (kept: KeptBackup, isCopied: boolean): BackupRecord => ({
  id: kept.id,
  madeAt: kept.madeAt,
  reason: kept.reason,
  farmName: kept.farmName,
  season: kept.season,
  day: kept.day,
  year: kept.year,
  bytes: kept.bytes,
  ...(kept.verifiedAt !== undefined && { verifiedAt: kept.verifiedAt }),
  offsite: offsiteOf(kept, isCopied),
})

function offsiteOf({ offsite, verifiedAt }: KeptBackup, isCopied: boolean): BackupRecord['offsite'] {
  if (offsite === 'done') return 'done'
  if (!isCopied) return 'none'
  return offsite === 'none' && verifiedAt !== undefined ? 'pending' : offsite
}

export function listOf(
  kept: readonly KeptBackup[],
  saves: BackupList['state']['saves'],
  isCopied: boolean,
): BackupList {
  const verified = kept.flatMap(({ verifiedAt }) => verifiedAt ?? []).sort()
  const lastVerifiedAt = verified.at(-1)
  return {
    backups: kept.map((one) => recordOf(one, isCopied)),
    state: { saves, ...(lastVerifiedAt !== undefined && { lastVerifiedAt }), nextAfter: 'game day' },
  }
}
