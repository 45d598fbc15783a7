/** Verifies the backups that nobody has verified yet. */
import type { Log } from '../../lib/log.ts'
import type { BackupStore } from './backup-store.ts'
import { BrokenArchive, verifyArchive } from './read-archive.ts'

/** @throws {BrokenArchive} @throws the error of the file system */
export async function verifyBackup(store: BackupStore, id: string, now: () => number): Promise<void> {
  await verifyArchive(store.path(id))
  await store.note(id, { verifiedAt: new Date(now()).toISOString() })
}

/**
 * Verifies archives of farmgate that the index does not know: one of a process that was killed before it wrote the index,
 * or all of them where the index was lost. Until then no rule counts them and none is copied off-site.
 * @param now milliseconds since 1970
 * @param signal ends it after the archive that is being read
 * @returns how many were verified
 */
export async function verifyFound(
  store: BackupStore,
  now: () => number,
  log: Pick<Log, 'warn'>,
  signal: AbortSignal,
): Promise<number> {
  let verified = 0
  for (const { id, verifiedAt, torn, foreign } of await store.list()) {
    if (signal.aborted) break
    if (verifiedAt !== undefined || torn === true || foreign === true) continue
    try {
      await verifyBackup(store, id, now)
      verified += 1
    } catch (error) {
      // Another error is ignored, because the archive may have been removed meanwhile.
      if (error instanceof BrokenArchive)
        log.warn({ id, cause: error.message }, 'a backup is damaged: it cannot be restored')
    }
  }
  return verified
}
