/**
 * What is known of the backups in `BACKUP_DIR`. The archives are what counts: the file `index.json` beside them only
 * saves reading each of them at the start, and has what was found out later. Without it, it is made anew from them.
 */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { backupRecord, elsewhere } from '../../handlers/backup-record.ts'
import { openAtomicFile } from '../../process/atomic-file.ts'
import { contentOf } from './content.ts'
import { type Manifest, manifest } from './manifest.ts'
import { BrokenArchive, readManifest } from './read-archive.ts'

const { files: _files, format: _format, ...said } = manifest.entries

const keptBackup = v.object({
  ...said,
  id: backupRecord.entries.id,
  bytes: backupRecord.entries.bytes,
  verifiedAt: backupRecord.entries.verifiedAt,
  elsewhere,
  /** The digest of the save's own two files. */
  content: v.string(),
})
export type KeptBackup = Readonly<v.InferOutput<typeof keptBackup>>

const index = v.object({
  backups: v.array(keptBackup),
  /** Ids of removed backups that may still have a copy elsewhere. */
  removed: v.optional(v.array(v.string()), []),
})
export type BackupIndex = Readonly<v.InferOutput<typeof index>>

const indexName = 'index.json'
const archiveEnd = '.zip'
const archiveName = /^([A-Za-z0-9_][A-Za-z0-9._-]{0,127})\.zip$/

export const archivePath = (folder: string, id: string): string => join(folder, id + archiveEnd)

/** The ids of all archives in the folder. @throws the error of the file system */
export const idsIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).flatMap((name) => archiveName.exec(name)?.[1] ?? []).sort()

/** @param bytes of the archive */
export function keptOf(id: string, bytes: number, { files, format: _, ...said }: Manifest): KeptBackup {
  return { ...said, id, bytes, elsewhere: 'none', content: contentOf(said.save, files) }
}

/**
 * All backups of the folder, newest first: those of the index whose archive has the size that it had, and archives
 * that the index does not know.
 * @param known what is known already, of the index or since
 * @throws the error of the file system
 */
export async function readBackups(folder: string, known: readonly KeptBackup[]): Promise<KeptBackup[]> {
  const byId = new Map(known.map((backup) => [backup.id, backup]))
  const backups: KeptBackup[] = []
  for (const id of await idsIn(folder)) {
    const backup = byId.get(id) ?? (await fromArchive(folder, id))
    if (backup !== undefined) backups.push(backup)
  }
  return backups.sort((a, b) => (a.madeAt < b.madeAt ? 1 : -1))
}

export async function writeIndex(folder: string, content: BackupIndex): Promise<void> {
  const file = await openAtomicFile(join(folder, indexName), {
    temporary: join(folder, `.${indexName}.new`),
    mode: 0o600,
  })
  await file.commit(JSON.stringify(content))
}

export async function readIndex(folder: string): Promise<BackupIndex> {
  const text = await readFile(join(folder, indexName), 'utf8').catch(() => '{}')
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), index), text)
  return parsed.success ? parsed.output : { backups: [], removed: [] }
}

/** @returns undefined for a zip that farmgate has not made */
async function fromArchive(folder: string, id: string): Promise<KeptBackup | undefined> {
  const path = archivePath(folder, id)
  try {
    return keptOf(id, (await stat(path)).size, await readManifest(path))
  } catch (error) {
    if (error instanceof BrokenArchive) return undefined
    throw error
  }
}
