/**
 * Reads a whole save, and reports whether it is whole: no write is in progress, and nothing changed during the read.
 */

import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { errorCode } from '../../lib/error-code.ts'
import type { Entry, Expected, SharedFolder } from '../../lib/shared-folder/shared-folder.ts'
import { archiveLimits, heldByArchive } from '../archives/allowed-entries.ts'
import { piecesOf } from '../archives/file-pieces.ts'
import type { ArchivedFile } from '../archives/manifest.ts'
import { infoFile } from '../archives/manifest.ts'
import {
  type FoundText,
  factsOf,
  infoElements,
  mainElements,
  type SaveFacts,
  scanText,
  type TextScan,
} from './save-text.ts'
import { inSave, type Save, temporaryEnd } from './saves-folder.ts'

/** A save that was whole when it was read. */
export interface ExaminedSave {
  readonly save: Save
  readonly facts: SaveFacts
  readonly files: readonly ArchivedFile[]
  /** Paths in its folder that an archive cannot hold, or that farmgate may not read. */
  readonly leftOut: readonly string[]
  /** Changes with each of its files. */
  readonly state: string
}

/**
 * @returns undefined when it is not whole, or changed while it was read
 * @throws the error of the file system
 */
export async function examineSave(save: Save): Promise<ExaminedSave | undefined> {
  const state = await stateOf(save)
  if (state === undefined) return undefined
  const found = new Map<string, FoundText>()
  const { files, leftOut } = await readFiles(save, state, found)
  const main = found.get(save.name)
  const info = found.get(infoFile)
  if (main?.end.endsWith('</SaveGame>') !== true || info?.end.endsWith('</Farmer>') !== true) return undefined
  const facts = factsOf(info, main)
  if (facts === undefined || (await stateOf(save))?.text !== state.text) return undefined
  return { save, facts, files, leftOut, state: state.text }
}

interface FolderState {
  readonly files: readonly FoundFile[]
  /** Paths that an archive cannot hold, and folders that farmgate may not read. */
  readonly leftOut: readonly string[]
  /** Name, size, time and number of each file. */
  readonly text: string
}

/** @returns undefined while the game writes, or where one of the two files of a save is missing */
export async function stateOf(save: Save): Promise<FolderState | undefined> {
  const state = await stateOfFolder(save)
  const paths = state.files.map(({ path }) => path)
  // An earlier version of the save left a temporary file of another name.
  const isWritten = [save.name, infoFile].some((own) => paths.includes(own + temporaryEnd))
  return isWritten || !paths.includes(save.name) || !paths.includes(infoFile) ? undefined : state
}

/** Maximum of examined entries of a save. A hostile game can make millions, and each takes memory. */
const mostEntries = 20_000
/** Maximum depth of examined folders: each file is opened through all those above it. */
const deepest = 8

/**
 * Whether the save is whole or not.
 * @param most maximum of examined entries; the others are omitted, except the save's own files
 * @throws the error of the file system, also when a file vanishes meanwhile; `EFBIG` where its own two files are
 * larger than any save that is restored
 */
export async function stateOfFolder(save: Save, most = mostEntries): Promise<FolderState> {
  const unreadable: string[] = []
  const all = await inSave(save, async (folder) => {
    const found = await filesBelow(folder, '', unreadable, { entries: most })
    if (unreadable.length === 0) return found
    // Those that show whether the save is whole may be among the omitted ones.
    const own = [save.name, infoFile].flatMap((name) => [name, name + temporaryEnd])
    const seen: ReadonlySet<string> = new Set(found.map(({ path }) => path))
    const missed = own.filter((name) => !seen.has(name)).map((name) => fileAt(folder, name, name))
    return [...found, ...(await Promise.all(missed)).filter((file) => file !== undefined)]
  })
  // Its own two come first, so that they are never omitted.
  all.sort((a, b) => Number(isOwn(save, b.path)) - Number(isOwn(save, a.path)) || (a.path < b.path ? -1 : 1))
  const { held: found, leftOut } = heldByArchive(save.name, all)
  const bytes = all.reduce((sum, { path, size }) => sum + (isOwn(save, path) ? size : 0), 0)
  if (bytes > archiveLimits.bytes)
    throw Object.assign(
      new Error(`EFBIG: the save ${save.name} has more than ${archiveLimits.bytes} bytes`),
      {
        code: 'EFBIG',
      },
    )
  return {
    files: found,
    leftOut: [...leftOut, ...unreadable],
    text: found.map(({ line }) => line).join('\n'),
  }
}

/**
 * Whether backups omit what is at a path of a save's folder, so that no archive has it.
 * @throws the error of the file system
 */
export async function notInBackups(save: Save): Promise<(path: string, entry: Entry) => Promise<boolean>> {
  const { files, leftOut } = await stateOfFolder(save)
  const held: ReadonlySet<string> = new Set(files.map(({ path }) => path))
  return async (path, entry) => {
    if (!isInBackup(entry)) return true
    if (entry.kind === 'folder') return leftOut.includes(path)
    return !held.has(path) || !(await mayRead(save, path))
  }
}

/** Whether farmgate may read a file of a save. */
const mayRead = (save: Save, path: string): Promise<boolean> =>
  inSave(save, async (folder) => (await folder.open(path, 'read')).close()).then(
    () => true,
    (error: unknown) => !mayNotRead(error),
  )

/**
 * Reads the files of a save that may be incomplete.
 * @returns undefined when they changed during the read
 */
export async function filesAsTheyAre(save: Save): Promise<Pick<ExaminedSave, 'files' | 'state'> | undefined> {
  const state = await stateOfFolder(save)
  const { files } = await readFiles(save, state)
  return (await stateOfFolder(save)).text === state.text ? { files, state: state.text } : undefined
}

/**
 * Reads all files of a save. One that farmgate may not read is omitted, unless it is one of the save's own two.
 * @param found takes the facts in the own two
 * @throws the error of the file system
 */
async function readFiles(
  save: Save,
  { files: all, leftOut }: FolderState,
  found?: Map<string, FoundText>,
): Promise<Pick<ExaminedSave, 'files' | 'leftOut'>> {
  const files: ArchivedFile[] = []
  const unreadable: string[] = []
  await inSave(save, async (folder) => {
    for (const file of all) {
      const { path } = file
      const scan = found && scanOf(save, path)
      try {
        files.push(await readWhole(folder, file, scan))
      } catch (error) {
        if (isOwn(save, path) || !mayNotRead(error)) throw error
        unreadable.push(path)
      }
      if (scan !== undefined) found?.set(path, scan.found())
    }
  })
  return { files, leftOut: [...leftOut, ...unreadable] }
}

const isOwn = ({ name }: Save, path: string): boolean => path === name || path === infoFile

const mayNotRead = (error: unknown): boolean => errorCode(error) === 'EACCES' || errorCode(error) === 'EPERM'

interface FoundFile {
  readonly path: string
  readonly size: number
  readonly line: string
  readonly stats: Expected & Pick<BigIntStats, 'mtimeMs'>
}

/** Names that begin with a dot, which belong to farmgate or a file system, and links are omitted. */
const isInBackup = ({ name, kind }: Pick<Entry, 'name' | 'kind'>): boolean =>
  !name.startsWith('.') && (kind === 'file' || kind === 'folder')

/** @param unreadable takes names that are not UTF-8, by which no file can be opened, and folders that are not read */
async function filesBelow(
  folder: SharedFolder,
  within: string,
  unreadable: string[],
  left: { entries: number },
): Promise<FoundFile[]> {
  const files: FoundFile[] = []
  for await (const entry of folder.entries()) {
    if (!isInBackup(entry)) continue
    const { name, kind } = entry
    const path = within === '' ? name : `${within}/${name}`
    left.entries -= 1
    if (left.entries < 0) {
      unreadable.push(path)
      break
    }
    if (name.includes('\uFFFD') || (kind === 'folder' && path.split('/').length > deepest)) {
      unreadable.push(path)
      continue
    }
    if (kind === 'folder') {
      const below = folder.within(name, (opened) => filesBelow(opened, path, unreadable, left))
      const found = await below.catch((error: unknown) => {
        if (!mayNotRead(error)) throw error
        unreadable.push(path)
        return []
      })
      // Too many for one call of `push`.
      for (const one of found) files.push(one)
      continue
    }
    const found = await fileAt(folder, name, path)
    if (found === undefined) throw Object.assign(new Error(`ENOENT: ${path} vanished`), { code: 'ENOENT' })
    files.push(found)
  }
  return files
}

/** @param path for the save @returns undefined for anything but a regular file */
async function fileAt(folder: SharedFolder, name: string, path: string): Promise<FoundFile | undefined> {
  const stats = await folder.status(name)
  if (stats?.isFile() !== true) return undefined
  const { size, mtimeNs, ino } = stats
  return { path, size: Number(size), line: [path, size, mtimeNs, ino].join(' '), stats }
}

/** @returns undefined for a file that is not one of the save's own two */
function scanOf({ name }: Save, path: string): TextScan | undefined {
  if (path === name) return scanText(mainElements)
  return path === infoFile ? scanText(infoElements) : undefined
}

async function readWhole(
  folder: SharedFolder,
  { path, stats }: FoundFile,
  scan?: TextScan,
): Promise<ArchivedFile> {
  const hash = createHash('sha256')
  let bytes = 0
  await using file = await folder.open(path, 'read', stats)
  for await (const piece of piecesOf(file)) {
    hash.update(piece)
    scan?.take(piece)
    bytes += piece.length
  }
  return { path, bytes, sha256: hash.digest('hex') }
}
