/** Makes one backup of the farm's save as it is now. */
import type { BackupReason } from '../../handlers/backup-record.ts'
import type { KeptBackup } from './backup-index.ts'
import type { BackupStore } from './backup-store.ts'
import { contentOf } from './content.ts'
import { type ExaminedSave, stateOf } from './examine-save.ts'
import type { Manifest } from './manifest.ts'

/**
 * @param now milliseconds since 1970
 * @returns undefined when the save changed meanwhile
 * @throws the error of the file system; {BrokenArchive}
 */
export async function makeBackup(
  store: BackupStore,
  { save, facts, files, state }: ExaminedSave,
  reason: BackupReason,
  now: number,
): Promise<KeptBackup | undefined> {
  const { farmName, day, gameVersion, people } = facts
  const madeAt = new Date(now).toISOString()
  const manifest: Manifest = {
    format: 1,
    madeAt,
    reason,
    save: save.name,
    farmName,
    ...day,
    gameVersion,
    people: [...people],
    files: [...files],
  }
  const isUnchanged = async () => (await stateOf(save))?.text === state
  return store.add(idOf(farmName, day, madeAt), save, manifest, isUnchanged)
}

/** Whether there is a verified backup of the same content. */
export async function isKnown(store: BackupStore, { save, files }: ExaminedSave): Promise<boolean> {
  const content = contentOf(save.name, files)
  return (await store.list()).some((one) => one.content === content && one.verifiedAt !== undefined)
}

/** Also the name of the archive, so that a person finds the day in a folder of them; letters, digits and `-` only. */
function idOf(farmName: string, { year, season, day }: ExaminedSave['facts']['day'], madeAt: string): string {
  const farm = farmName.replace(/[^A-Za-z0-9]/g, '').slice(0, 32) || 'farm'
  const at = madeAt.replace(/[-:.]/g, '')
  return `${farm}-y${year}-${season}-${String(day).padStart(2, '0')}-${at}`
}
