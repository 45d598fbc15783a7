/**
 * What is known of the backups in `BACKUP_DIR`. The archives are the truth: the file `index.json` next to them only
 * saves reading each of them at the start, and has what was found out later. It can be rebuilt from them.
 */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { offsite } from '../../handlers/backup-record.ts'
import { openAtomicFile } from '../../lib/atomic-file.ts'
import { readSmallFile } from '../../lib/foreign/file.ts'
import { listOf, readForeign } from '../../lib/foreign/read.ts'
import { unlessMissing } from '../../lib/shared-folder/access.ts'
import { BrokenArchive } from '../archives/broken-archive.ts'
import { apart } from './archive-apart.ts'
import { type KeptBackup, keptBackup } from './kept-backup.ts'
import { newestFirst } from './making-order.ts'

/** A backup in an index from before 0.3, in which `offsite` had another name. */
const earlierBackup = v.pipe(
  v.object({ ...v.omit(keptBackup, ['offsite']).entries, elsewhere: offsite }),
  v.transform(({ elsewhere, ...backup }): KeptBackup => ({ ...backup, offsite: elsewhere })),
)

const index = v.object({
  backups: listOf(v.union([keptBackup, earlierBackup]), 20_000),
  /** Ids of removed backups that may still have an off-site copy. */
  removed: v.optional(listOf(v.string(), 100_000), []),
})
export type BackupIndex = Readonly<v.InferOutput<typeof index>>

const indexName = 'index.json'
/** Maximum of bytes. Ten years of backups of eight farmers have some 3 MB and 100,000 values. */
const maxIndex = 16 * 1024 * 1024
const indexLimits = { values: 500_000 }
const archiveEnd = '.zip'
/** A name of an archive; the names of SMAPI contain blanks. */
const archiveName = /^([A-Za-z0-9_][A-Za-z0-9 ._-]{0,127})\.zip$/

export const archiveOf = ({ id, archive = id }: KeptBackup): string => archive

/** @param archive its name without `.zip` */
export const archivePath = (folder: string, archive: string): string => join(folder, archive + archiveEnd)

/** The names of all archives in the folder, without `.zip`. @throws the error of the file system */
export const archivesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).flatMap((name) => archiveName.exec(name)?.[1] ?? []).sort()

/**
 * All backups of the folder, newest first. One whose archive has changed its size is no longer verified.
 * @param known backups of the index, and those made since
 * @param onStrange called with the name of an archive that has no backup, and the cause
 * @throws the error of the file system
 */
export async function readBackups(
  folder: string,
  known: readonly KeptBackup[],
  onStrange: (archive: string, cause: string) => void,
): Promise<KeptBackup[]> {
  const byArchive = Map.groupBy(known, archiveOf)
  const backups: KeptBackup[] = []
  for (const { archive, bytes } of await sizesIn(folder)) {
    const before = byArchive.get(archive)
    if (before?.every((backup) => backup.bytes === bytes)) {
      backups.push(...before)
      continue
    }
    const report = (cause: string) => before === undefined && onStrange(archive, cause)
    const found = await fromArchive(folder, archive, report)
    const lost = before?.map((backup) => ({ ...backup, bytes, verifiedAt: undefined })) ?? []
    backups.push(...(found.length > 0 ? found : lost))
  }
  return backups.sort(newestFirst)
}

export async function writeIndex(folder: string, content: BackupIndex): Promise<void> {
  const file = await openAtomicFile(join(folder, indexName), {
    temporary: join(folder, `.${indexName}.new`),
    mode: 0o600,
  })
  await file.commit(JSON.stringify(content))
}

/** An index that is missing or damaged is empty. @throws the error of the file system */
export async function readIndex(folder: string): Promise<BackupIndex> {
  const text = await readSmallFile(join(folder, indexName), maxIndex).catch(unlessMissing)
  return readForeign(index, text, indexLimits) ?? { backups: [], removed: [] }
}

/**
 * The sizes are read in parallel, because ten years of backups are some thousands of files and each read waits for the
 * disk. A link that leads nowhere, or an archive that was removed meanwhile, is none.
 */
async function sizesIn(folder: string) {
  const sizes = await Promise.all(
    (await archivesIn(folder)).map(async (archive) => {
      const stats = await stat(archivePath(folder, archive)).catch(unlessMissing)
      return stats === undefined ? [] : [{ archive, bytes: stats.size }]
    }),
  )
  return sizes.flat()
}

/** @returns none for a zip that has no save, or is unreadable */
async function fromArchive(
  folder: string,
  archive: string,
  onStrange: (cause: string) => unknown,
): Promise<KeptBackup[]> {
  try {
    const found = await apart((calls) => calls.found(archivePath(folder, archive), archive))
    if (found.length === 0) onStrange('it has no save')
    return found
  } catch (error) {
    if (!(error instanceof BrokenArchive)) return unlessMissing(error) ?? []
    onStrange(error.message)
    return []
  }
}
