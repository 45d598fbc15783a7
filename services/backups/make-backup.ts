/** Makes one backup of the farm's save as it is now. */
import type { BackupReason } from '../../handlers/backup-record.ts'
import type { Manifest } from '../archives/manifest.ts'
import { type ExaminedSave, filesAsTheyAre, stateOfFolder } from '../saves/examine-save.ts'
import { infosIn, inSave, type Save } from '../saves/saves-folder.ts'
import type { BackupStore } from './backup-store.ts'
import type { KeptBackup } from './kept-backup.ts'
import { nextOrder } from './making-order.ts'

type Facts = Pick<Manifest, 'farmName' | 'season' | 'day' | 'year' | 'gameVersion' | 'people'>

/**
 * The facts of the first readable `SaveGameInfo`: the file itself, the older copy that the game keeps, or the one that
 * it was writing.
 * @param last a backup of the save, whose facts are used when there is none
 */
const factsAsFarAsKnown = (save: Save, last: KeptBackup): Promise<Facts> =>
  inSave(save, async (folder) => {
    for await (const { facts } of infosIn(folder))
      if (facts !== undefined) return { ...facts, ...facts.day, people: [...facts.people] }
    return last
  })

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
  return add(
    store,
    save,
    { files, state },
    { ...facts, ...facts.day, people: [...facts.people], reason },
    now,
  )
}

/**
 * Backs up an incomplete save as it is, before another one replaces it.
 * @param last the newest backup of the save, for the facts that its files no longer show
 * @returns undefined when the save changed meanwhile
 * @throws as `makeBackup`
 */
export async function backUpTornSave(
  store: BackupStore,
  save: Save,
  last: KeptBackup,
  now: number,
): Promise<KeptBackup | undefined> {
  const found = await filesAsTheyAre(save)
  if (found === undefined) return undefined
  const facts = await factsAsFarAsKnown(save, last)
  return add(store, save, found, { ...facts, reason: 'before_restore', torn: true }, now)
}

type Said = Omit<Manifest, 'format' | 'madeAt' | 'order' | 'save' | 'files'>

async function add(
  store: BackupStore,
  save: Save,
  { files, state }: Pick<ExaminedSave, 'files' | 'state'>,
  said: Said,
  now: number,
): Promise<KeptBackup | undefined> {
  const { farmName, season, day, year, gameVersion, people, reason, torn } = said
  const madeAt = new Date(now).toISOString()
  const order = nextOrder(await store.list(), now)
  const manifest: Manifest = {
    format: 1,
    madeAt,
    ...(order !== undefined && { order }),
    reason,
    save: save.name,
    farmName,
    season,
    day,
    year,
    gameVersion,
    people,
    ...(torn === true && { torn }),
    files: [...files],
  }
  const isUnchanged = async () => (await stateOfFolder(save)).text === state
  return store.add(idOf(farmName, { season, day, year }, madeAt), save, manifest, isUnchanged)
}

/** Also the name of the archive, so that a person finds the day in a folder of them; letters, digits and `-` only. */
function idOf(farmName: string, { year, season, day }: ExaminedSave['facts']['day'], madeAt: string): string {
  const farm = farmName.replace(/[^A-Za-z0-9]/g, '').slice(0, 32) || 'farm'
  const at = madeAt.replace(/[-:.]/g, '')
  return `${farm}-y${year}-${season}-${String(day).padStart(2, '0')}-${at}`
}
