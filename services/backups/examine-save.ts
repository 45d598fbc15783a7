/** Reads a whole save, and tells whether it is whole: nothing is being written, and nothing changed while it was read. */
import { createHash } from 'node:crypto'
import type { Entry, Expected, SharedFolder } from '../../lib/shared-folder/shared-folder.ts'
import { heldByArchive, usualLimits } from './allowed-entries.ts'
import { piecesOf } from './file-pieces.ts'
import type { ArchivedFile } from './manifest.ts'
import {
  type FoundText,
  factsOf,
  infoElements,
  mainElements,
  type SaveFacts,
  scanText,
  type TextScan,
} from './save-text.ts'
import { infoFile, inSave, type Save, temporaryEnd } from './saves-folder.ts'

/** A save that was whole when it was read. */
export interface ExaminedSave {
  readonly save: Save
  readonly facts: SaveFacts
  readonly files: readonly ArchivedFile[]
  /** Names of files in its folder that an archive cannot hold. */
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
  const files: ArchivedFile[] = []
  const found = new Map<string, FoundText>()
  await inSave(save, async (folder) => {
    for (const file of state.files) {
      const scan = scanOf(save, file.path)
      files.push(await readWhole(folder, file, scan))
      if (scan !== undefined) found.set(file.path, scan.found())
    }
  })
  const main = found.get(save.name)
  const info = found.get(infoFile)
  if (main?.end.endsWith('</SaveGame>') !== true || info?.end.endsWith('</Farmer>') !== true) return undefined
  const facts = factsOf(info, main)
  if (facts === undefined || (await stateOf(save))?.text !== state.text) return undefined
  return { save, facts, files, leftOut: state.leftOut, state: state.text }
}

interface FolderState {
  readonly files: readonly FoundFile[]
  /** Names of files that an archive cannot hold. */
  readonly leftOut: readonly string[]
  /** Name, size, time and number of each file. */
  readonly text: string
}

/** @returns undefined while the game writes, or where one of the two files of a save is missing */
export async function stateOf(save: Save): Promise<FolderState | undefined> {
  const state = await stateOfFolder(save)
  const paths = state.files.map(({ path }) => path)
  // A temporary file of another name is one that an earlier version of the save has left.
  const isWritten = [save.name, infoFile].some((own) => paths.includes(own + temporaryEnd))
  return isWritten || !paths.includes(save.name) || !paths.includes(infoFile) ? undefined : state
}

/**
 * Whether the save is whole or not.
 * @throws the error of the file system, also when a file vanishes meanwhile; `EFBIG` for a save that is larger than any
 *   that is restored
 */
export async function stateOfFolder(save: Save): Promise<FolderState> {
  const notText: string[] = []
  const all = await inSave(save, (folder) => filesBelow(folder, '', notText))
  const isOwn = ({ path }: FoundFile) => path === save.name || path === infoFile
  // Its own two come first, so that they are never those that are left out.
  all.sort((a, b) => Number(isOwn(b)) - Number(isOwn(a)) || (a.path < b.path ? -1 : 1))
  const { held: found, leftOut } = heldByArchive(save.name, all)
  const bytes = found.reduce((sum, { size }) => sum + size, 0)
  if (bytes > usualLimits.bytes)
    throw Object.assign(new Error(`EFBIG: the save ${save.name} has more than ${usualLimits.bytes} bytes`), {
      code: 'EFBIG',
    })
  return { files: found, leftOut: [...leftOut, ...notText], text: found.map(({ line }) => line).join('\n') }
}

/**
 * Reads the files of a save that need not be whole.
 * @returns undefined when they changed while they were read
 */
export async function filesAsTheyAre(save: Save): Promise<Pick<ExaminedSave, 'files' | 'state'> | undefined> {
  const { files: found, text: state } = await stateOfFolder(save)
  const files: ArchivedFile[] = []
  await inSave(save, async (folder) => {
    for (const file of found) files.push(await readWhole(folder, file))
  })
  return (await stateOfFolder(save)).text === state ? { files, state } : undefined
}

interface FoundFile {
  readonly path: string
  readonly size: number
  readonly line: string
  readonly stats: Expected
}

/** Names that begin with a dot are left out, which are of farmgate or of a file system; and links. */
export const isInBackup = ({ name, kind }: Pick<Entry, 'name' | 'kind'>): boolean =>
  !name.startsWith('.') && (kind === 'file' || kind === 'folder')

/** @param notText takes names that are no text in UTF-8: no file can be opened by one */
async function filesBelow(folder: SharedFolder, within: string, notText: string[]): Promise<FoundFile[]> {
  const files: FoundFile[] = []
  for await (const entry of folder.entries()) {
    if (!isInBackup(entry)) continue
    const { name, kind } = entry
    const path = within === '' ? name : `${within}/${name}`
    if (name.includes('\uFFFD')) {
      notText.push(path)
      continue
    }
    if (kind === 'folder') {
      files.push(...(await folder.within(name, (below) => filesBelow(below, path, notText))))
      continue
    }
    const found = await folder.status(name)
    if (found === undefined) throw Object.assign(new Error(`ENOENT: ${path} vanished`), { code: 'ENOENT' })
    const { size, mtimeNs, ino } = found
    files.push({ path, size: Number(size), line: [path, size, mtimeNs, ino].join(' '), stats: found })
  }
  return files
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
  const file = await folder.open(path, 'read', stats)
  try {
    for await (const piece of piecesOf(file)) {
      hash.update(piece)
      scan?.take(piece)
      bytes += piece.length
    }
  } finally {
    await file.close()
  }
  return { path, bytes, sha256: hash.digest('hex') }
}
