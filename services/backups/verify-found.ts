/** Verifies backups again: unverified ones, and each of them every week. */
import type { Clock } from '../../lib/clock.ts'
import { errorCode } from '../../lib/error-code.ts'
import { isMissing } from '../../lib/shared-folder/access.ts'
import { verifyApart } from './archive-apart.ts'
import type { BackupStore } from './backup-store.ts'
import type { KeptBackup } from './kept-backup.ts'
import { BrokenArchive } from './read-archive.ts'

/** Milliseconds after which a backup is verified again. */
const week = 7 * 86_400_000

/**
 * Reads an archive and compares each file in it with its digest. A damaged one is no longer verified.
 * @param now milliseconds since 1970
 * @throws {BrokenArchive} @throws the error of the file system
 */
export async function verifyBackup(store: BackupStore, id: string, now: () => number): Promise<void> {
  try {
    await verifyApart(store.path(id))
  } catch (error) {
    if (!isMissing(error)) await store.note(id, { verifiedAt: undefined, damaged: true })
    throw error
  }
  await store.note(id, { verifiedAt: new Date(now()).toISOString(), damaged: undefined })
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
      await verifyBackup(store, id, now)
      verified += 1
    } catch (error) {
      // It may have been removed meanwhile.
      if (!isMissing(error) && damaged !== true) onDamaged(id, causeOf(error))
    }
  }
  return verified
}

function isDue({ verifiedAt, torn, foreign }: Omit<KeptBackup, 'id'>, now: number): boolean {
  if (torn === true || foreign === true) return false
  return verifiedAt === undefined || Math.abs(now - Date.parse(verifiedAt)) > week
}

/** For the log, without paths of this machine. */
export function causeOf(error: unknown): string {
  if (error instanceof BrokenArchive) return error.message
  const code = errorCode(error)
  return code === undefined ? 'it cannot be read' : `it cannot be read (${code})`
}
