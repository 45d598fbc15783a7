/** The archives in `BACKUP_DIR`: added complete and verified, listed, read in pieces, removed. */
import { mkdir, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { BackupPiece } from '../../handlers/backup-record.ts'
import { syncFolder } from '../../lib/atomic-file.ts'
import { errorCode } from '../../lib/error-code.ts'
import { oneAtATime } from '../../lib/one-at-a-time.ts'
import type { Manifest } from '../archives/manifest.ts'
import type { Save } from '../saves/saves-folder.ts'
import { verifyApart, writeApart } from './archive-apart.ts'
import { archiveOf, archivePath, archivesIn, readBackups, readIndex, writeIndex } from './backup-index.ts'
import { type KeptBackup, keptOf } from './kept-backup.ts'

/** The beginning of the name of an archive that is being written. */
const unfinished = '.making-'

/** Later findings about a backup; `damaged: undefined` clears it. */
type Found = Partial<Pick<KeptBackup, 'verifiedAt' | 'offsite'>> & { readonly damaged?: true | undefined }

function noted({ damaged: before, ...backup }: KeptBackup, found: Found): KeptBackup {
  const { damaged = 'damaged' in found ? undefined : before, ...others } = found
  return { ...backup, ...others, ...(damaged === true && { damaged }) }
}

export type BackupStore = ReturnType<typeof backupStore>

/**
 * @param folder `BACKUP_DIR`; made with mode 0700 with the first backup
 * @param now milliseconds since 1970
 * @param onStrange called, once until it changes, for an archive in the folder that has no backup, with the cause
 * @param ready the folder is not read before
 */
export function backupStore(
  folder: string,
  now: () => number,
  onStrange: (archive: string, cause: string) => void = () => {},
  ready?: Promise<unknown>,
) {
  let known: readonly KeptBackup[] | undefined
  let removed: readonly string[] = []
  let names: string | undefined
  let strange: ReadonlyMap<string, string> = new Map()
  /** Changes of the folder. */
  const changeInTurn = oneAtATime().run
  /** Whether the archives in the folder are the known ones, and whether an unknown one has grown. */
  const seeArchives = async () => {
    const isKnown = isOf(known)
    const found = await archivesIn(folder).catch(noFolder)
    return Promise.all(
      found.map(async (archive) => ({
        archive,
        state: isKnown(archive) ? '' : await sizeAndTimeOf(folder, archive),
      })),
    )
  }
  /** Call this in turn: an operator may have added or removed an archive. */
  const current = async (): Promise<readonly KeptBackup[]> => {
    if (known === undefined) {
      await ready
      await removeUnfinished(folder)
      const index = await readIndex(folder)
      removed = index.removed
      known = index.backups
    }
    const seen = await seeArchives()
    if (textOf(seen, known) !== names) {
      const states = new Map(seen.map(({ archive, state }) => [archive, state]))
      const report = (archive: string, cause: string) => {
        if (strange.get(archive) !== states.get(archive)) onStrange(archive, cause)
      }
      known = seen.length === 0 ? [] : await readBackups(folder, known, report)
      strange = states
      names = textOf(seen, known)
    }
    return known
  }
  const list = async (): Promise<readonly KeptBackup[]> =>
    known !== undefined && textOf(await seeArchives(), known) === names ? known : changeInTurn(current)
  const become = async (next: readonly KeptBackup[], nextRemoved = removed) => {
    known = next
    removed = nextRemoved
    await writeIndex(folder, { backups: [...next], removed: [...removed] })
    names = undefined
  }
  return {
    /** Newest first; the same list until it changes. @throws the error of the file system */
    list,
    /** Where its archive is on this disk. */
    path: (id: string): string => archivePath(folder, known?.find((one) => one.id === id)?.archive ?? id),
    /**
     * Writes an archive, reads it back, and gives it its name. The archive of an incomplete save does not count as
     * verified.
     * @param isUnchanged called after the archive is written: whether the save still fits the manifest
     * @returns undefined when the save has changed
     * @throws {BrokenArchive} what was read back is not what was written
     * @throws the error of the file system
     */
    async add(id: string, save: Save, manifest: Manifest, isUnchanged: () => Promise<boolean>) {
      await list()
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const temporary = join(folder, unfinished + id)
      try {
        await writeApart(temporary, save, manifest)
        // Asked before it is verified, because an archive made during a change of the save is not a fault of the
        // disk.
        if (!(await isUnchanged())) return undefined
        await verifyApart(temporary, manifest)
        const { size } = await stat(temporary)
        const verifiedAt = new Date(now()).toISOString()
        const made = { ...keptOf(id, size, manifest), ...(manifest.torn !== true && { verifiedAt }) }
        await changeInTurn(async () => {
          const before = await current()
          await rename(temporary, archivePath(folder, id))
          await syncFolder(folder)
          await become([made, ...before.filter((one) => one.id !== id)])
        })
        return made
      } finally {
        await unlink(temporary).catch(() => undefined)
      }
    },
    /** Notes a finding about a backup. @returns false when there is no such backup */
    note: (id: string, found: Found): Promise<boolean> =>
      changeInTurn(async () => {
        const before = await current()
        const isThere = before.some((backup) => backup.id === id)
        if (isThere) await become(before.map((backup) => (backup.id === id ? noted(backup, found) : backup)))
        return isThere
      }),
    /** Removes the archive, and with it every backup in it. @returns false when there is no such backup */
    remove: (id: string): Promise<boolean> =>
      changeInTurn(async () => {
        const before = await current()
        const found = before.find((backup) => backup.id === id)
        if (found === undefined) return false
        await rm(archivePath(folder, archiveOf(found)), { force: true })
        await become(
          before.filter((backup) => archiveOf(backup) !== archiveOf(found)),
          found.offsite === 'none' ? removed : [...removed, id],
        )
        return true
      }),
    async removed() {
      await list()
      return removed
    },
    copyRemoved: (id: string): Promise<void> =>
      changeInTurn(async () =>
        become(
          await current(),
          removed.filter((other) => other !== id),
        ),
      ),
    /** @returns undefined when there is no such backup */
    async read(id: string, from: number, length: number): Promise<BackupPiece | undefined> {
      const found = (await list()).find((backup) => backup.id === id)
      if (found === undefined) return undefined
      await using file = await open(archivePath(folder, archiveOf(found)), 'r')
      const { size } = await file.stat()
      const piece = Buffer.alloc(Math.max(0, Math.min(length, size - from)))
      for (let at = 0; at < piece.length; ) {
        const { bytesRead } = await file.read(piece, at, piece.length - at, from + at)
        if (bytesRead === 0) throw new Error('the archive became shorter')
        at += bytesRead
      }
      return { bytes: size, piece }
    },
  }
}

interface SeenArchive {
  readonly archive: string
  readonly state: string
}

const isOf = (known: readonly KeptBackup[] = []) => {
  const archives = new Set(known.map(archiveOf))
  return (archive: string) => archives.has(archive)
}

function textOf(seen: readonly SeenArchive[], known: readonly KeptBackup[]): string {
  const isKnown = isOf(known)
  return seen.map(({ archive, state }) => (isKnown(archive) ? archive : `${archive} ${state}`)).join('\n')
}

/** Size and time of an archive; both change while it is still being copied into the folder. */
const sizeAndTimeOf = (folder: string, archive: string) =>
  stat(archivePath(folder, archive)).then(
    ({ size, mtimeMs }) => `${size} ${mtimeMs}`,
    () => '',
  )

function noFolder(error: unknown): string[] {
  if (errorCode(error) === 'ENOENT') return []
  throw error
}

/** A killed process left it. */
async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(noFolder))
    if (name.startsWith(unfinished)) await rm(join(folder, name), { force: true })
}
