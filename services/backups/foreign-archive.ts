/**
 * Archives that an operator put into `BACKUP_DIR`: save backups of SMAPI, which contain all farms, or a zip of a
 * player's save.
 */

import { posix } from 'node:path'
import { infoFile } from '../archives/manifest.ts'
import { eachEntry } from '../archives/read-archive.ts'
import { factsOf, infoElements, type SaveFacts, scanText } from '../saves/save-text.ts'
import { savesAmong } from '../saves/saves-within.ts'
import type { KeptBackup } from './kept-backup.ts'

/** Maximum length of an id. */
const longestId = 128
/** Maximum of saves in an archive. */
const mostSaves = 200

interface Found {
  readonly files: string[]
  facts?: SaveFacts | undefined
}

/**
 * One backup for each save in an archive, by the facts in its `SaveGameInfo`. The content is read at a restore.
 * @param archive its name without `.zip`: the id, where it has one save
 * @throws {BrokenArchive}
 * @throws the error of the file system
 */
export async function foreignBackups(
  path: string,
  archive: string,
  { size, mtime }: { readonly size: number; readonly mtime: Date },
): Promise<KeptBackup[]> {
  const folders = new Map<string, Found>()
  let infos = 0
  await eachEntry(path, async ({ fileName }, open) => {
    const { dir, base } = posix.parse(fileName)
    const found = folders.get(dir) ?? { files: [] }
    folders.set(dir, found)
    found.files.push(base)
    if (base === infoFile) {
      infos += 1
      if (infos <= mostSaves) found.facts = await factsIn(await open())
    }
  })
  const saves = [...folders.values()]
    .flatMap(({ files, facts }) =>
      facts === undefined ? [] : savesAmong(files).map((save) => ({ save, facts })),
    )
    .slice(0, mostSaves)
  return saves
    .map(({ save, facts: { farmName, day, gameVersion, people } }) => ({
      id: saves.length === 1 ? archive : `${archive} ${save}`,
      archive,
      foreign: true as const,
      madeAt: mtime.toISOString(),
      reason: 'manual' as const,
      save,
      farmName,
      ...day,
      gameVersion,
      people: [...people],
      bytes: size,
      offsite: 'none' as const,
      content: '',
    }))
    .filter(({ id }) => id.length <= longestId)
}

/** @returns undefined for a file that is not a `SaveGameInfo` of the game */
async function factsIn(content: AsyncIterable<Buffer>): Promise<SaveFacts | undefined> {
  const scan = scanText(infoElements)
  for await (const piece of content) scan.take(piece)
  const info = scan.found()
  return factsOf(info, { ...info, values: new Map() })
}
