/** Verifies backups again: unverified ones, and each of them every week. */
import type { Clock } from '../../lib/clock.ts'
import { errorCode } from '../../lib/error-code.ts'
import { isMissing } from '../../lib/shared-folder/access.ts'
import { BrokenArchive } from '../archives/broken-archive.ts'
import { isShortage } from '../archives/read-archive.ts'
import { verifyApart } from './archive-apart.ts'
import type { BackupStore } from './backup-store.ts'
import type { KeptBackup } from './kept-backup.ts'

/** Milliseconds after which a backup is verified again. */
const week = 7 * 86_400_000

interface Verified {
  readonly isWhole: boolean
  /** What is wrong with the archive, for the log; undefined where it is whole or missing. */
  readonly damage?: string
}

/**
 * Reads an archive and compares each file in it with its digest. A damaged one is no longer verified.
 * @param now milliseconds since 1970
 * @throws the error of the file system, which says nothing about the archive: it could not be read for a shortage, or
 * the finding about a whole one could not be noted
 */
export async function verifyBackup(store: BackupStore, id: string, now: () => number): Promise<Verified> {
  try {
    await verifyApart(store.path(id))
  } catch (error) {
    if (isMissing(error)) return { isWhole: false }
    if (isShortage(error)) throw error
    // An archive and the index next to it can fail together: the damage is reported anyway.
    await store.note(id, { verifiedAt: undefined, damaged: true }).catch(() => undefined)
    return { isWhole: false, damage: causeOf(error) }
  }
  await store.note(id, { verifiedAt: new Date(now()).toISOString(), damaged: undefined })
  return { isWhole: true }
}

interface VerifyingParts extends Pick<Clock, 'now'> {
  readonly store: BackupStore
  /** Called when a good or unknown backup is found to be damaged. */
  onDamaged(id: string, cause: string): void
  /** Ends it after the current archive. */
  readonly signal: AbortSignal
}

/**
 * Verifies archives of farmgate that the index does not know, because a process was killed before it wrote the index
 * or the index was lost, and those that were verified more than a week ago, or in the future of the clock. An
 * unverified one counts for no rule, and is not copied off-site.
 * @returns how many were verified
 */
export async function verifyDue({ store, now, onDamaged, signal }: VerifyingParts): Promise<number> {
  let verified = 0
  for (const { id, damaged, ...backup } of await store.list()) {
    if (signal.aborted) break
    if (!isDue(backup, now())) continue
    try {
      const { isWhole, damage } = await verifyBackup(store, id, now)
      if (isWhole) verified += 1
      if (damage !== undefined && damaged !== true) onDamaged(id, damage)
    } catch {
      // It stays due. A folder that cannot be used is reported when a backup is made or copied.
    }
  }
  return verified
}

function isDue({ verifiedAt, torn, foreign }: Omit<KeptBackup, 'id'>, now: number): boolean {
  if (torn === true || foreign === true) return false
  return verifiedAt === undefined || Math.abs(now - Date.parse(verifiedAt)) > week
}

/** For the log, without paths of this machine. */
function causeOf(error: unknown): string {
  if (error instanceof BrokenArchive) return error.message
  const code = errorCode(error)
  return code === undefined ? 'it cannot be read' : `it cannot be read (${code})`
}
