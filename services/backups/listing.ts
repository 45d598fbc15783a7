/** Backups as the API shows them. */

import type { BackupFailure, BackupList } from '../../handlers/backup-list.ts'
import type { BackupRecord } from '../../handlers/backup-record.ts'
import type { KeptBackup } from './kept-backup.ts'

/** @param isCopied whether storage for off-site copies is set */
export const recordOf = (kept: KeptBackup, isCopied: boolean): BackupRecord => ({
  id: kept.id,
  madeAt: kept.madeAt,
  reason: kept.reason,
  save: kept.save,
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
  failing: BackupFailure | undefined,
): BackupList {
  // Each backup is verified again every week, so the time of that does not show the age of the newest one.
  const lastVerifiedAt = kept.find(({ verifiedAt }) => verifiedAt !== undefined)?.madeAt
  return {
    backups: kept.map((one) => recordOf(one, isCopied)),
    state: {
      saves,
      ...(lastVerifiedAt !== undefined && { lastVerifiedAt }),
      ...(failing !== undefined && { failing }),
      nextAfter: 'game day',
    },
  }
}
