import type { ExaminedSave } from '../saves/examine-save.ts'
import type { BackupStore } from './backup-store.ts'
import { contentDigest } from './content.ts'
import type { KeptBackup } from './kept-backup.ts'
import { verifyBackup } from './verify-found.ts'

/**
 * The verified backup of a save's content. One that is not verified is read first.
 * @returns undefined when there is none
 * @throws the error of the file system
 */
export async function backupOfContent(
  store: BackupStore,
  { save, files }: Pick<ExaminedSave, 'save' | 'files'>,
  now: () => number,
): Promise<KeptBackup | undefined> {
  const content = contentDigest(save.name, files)
  const same = (await store.list()).filter((backup) => backup.content === content && backup.torn !== true)
  const verified = same.find(({ verifiedAt }) => verifiedAt !== undefined)
  if (verified !== undefined) return verified
  for (const backup of same) {
    const { isWhole } = await verifyBackup(store, backup.id, now)
    if (isWhole) return (await store.list()).find(({ id }) => id === backup.id)
  }
  return undefined
}
