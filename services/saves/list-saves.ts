/** Lists the saves in the game's folder, which a hostile game can have filled with anything. */
import type { GameDay } from '../../handlers/backup-record.ts'
import type { FarmMark } from '../../handlers/expected-farm.ts'
import type { SaveRecord } from '../../handlers/save-record.ts'
import type { SharedFolder } from '../../lib/shared-folder/shared-folder.ts'
import { piecesOf } from '../archives/file-pieces.ts'
import { stateOfFolder } from './examine-save.ts'
import { factsOf, mainElements, type SaveFacts, scanText } from './save-text.ts'
import { farmNumber, infosIn, inSave, inSaves, type Save, saveAmong } from './saves-folder.ts'

/** Maximum of listed saves. */
const mostSaves = 200
/** Maximum of examined entries of one save. */
const mostEntries = 1000
/** Maximum of bytes that are searched for the people of a save. The save of a farm of many years has below 100 MB. */
const maxMain = 256 * 1024 ** 2

export type ListedSave = Omit<SaveRecord, 'active' | 'mods'>

/** The farm of a save, on its day. */
export const markOf = ({
  name,
  farmName,
  season,
  day,
  year,
}: GameDay & Pick<ListedSave, 'name' | 'farmName'>): FarmMark => ({
  name: farmName,
  number: farmNumber(name),
  season,
  day,
  year,
})

/** @param dir `SAVES_DIR` */
export function saveList(dir: string) {
  /** By name, with the state of the files; a save is read again when one of them has changed. */
  let known = new Map<string, { readonly state: string; readonly listed: ListedSave | undefined }>()
  return {
    /** In no order. @throws the error of the file system */
    async all(): Promise<readonly ListedSave[]> {
      const now = new Map<string, { readonly state: string; readonly listed: ListedSave | undefined }>()
      for (const name of await inSaves(dir, names)) {
        const save = saveAmong(dir, name)
        // A folder that is unreadable, or that the game changes meanwhile, is not listed.
        const read = await stateOf(save)
          .then(async ({ text, bytes, savedAt }) => {
            const before = known.get(name)
            if (before?.state === text) return before
            const facts = await factsIn(save)
            const listed = facts && { name, ...shown(facts), bytes, savedAt }
            return { state: text, listed }
          })
          .catch(() => undefined)
        if (read !== undefined) now.set(name, read)
      }
      known = now
      return [...now.values()].flatMap(({ listed }) => listed ?? [])
    },
  }
}

const shown = ({ farmName, day, people, host }: SaveFacts) => ({
  farmName,
  ...day,
  people: [...people],
  host,
})

async function names(saves: SharedFolder): Promise<string[]> {
  const found: string[] = []
  for await (const { name, kind } of saves.entries()) {
    if (kind === 'folder' && !name.startsWith('.') && !name.includes('\uFFFD')) found.push(name)
    if (found.length === mostSaves) break
  }
  return found
}

async function stateOf(save: Save) {
  const { files, text } = await stateOfFolder(save, mostEntries)
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  const main =
    files.find(({ path }) => path === save.name) ?? files.find(({ path }) => path.startsWith(save.name))
  if (main === undefined) throw new Error('not a save')
  return { text, bytes, savedAt: new Date(Number(main.stats.mtimeMs)).toISOString() }
}

/** The people are read from the larger file, because `SaveGameInfo` names only the host. */
const factsIn = (save: Save): Promise<SaveFacts | undefined> =>
  inSave(save, async (folder) => {
    for await (const { info, facts } of infosIn(folder)) {
      if (facts === undefined) continue
      const main = await scanned(folder, save.name)
      return (main && factsOf(info, main)) ?? facts
    }
    return undefined
  })

async function scanned(folder: SharedFolder, name: string) {
  await using file = await folder.open(name, 'read').catch(() => undefined)
  if (file === undefined) return undefined
  const scan = scanText(mainElements)
  if ((await file.stat()).size <= maxMain) for await (const piece of piecesOf(file)) scan.take(piece)
  return scan.found()
}
