/** Reads a whole save, and tells whether it is whole: nothing is being written, and nothing changed while it was read. */
import { createHash } from 'node:crypto'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
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
import { infoFile, type Save, temporaryEnd } from './saves-folder.ts'

/** A save that was whole when it was read. */
export interface ExaminedSave {
  readonly save: Save
  readonly facts: SaveFacts
  readonly files: readonly ArchivedFile[]
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
  for (const path of state.paths) {
    const scan = scanOf(save, path)
    files.push(await readWhole(save, path, scan))
    if (scan !== undefined) found.set(path, scan.found())
  }
  const main = found.get(save.name)
  const info = found.get(infoFile)
  if (main?.end.endsWith('</SaveGame>') !== true || info?.end.endsWith('</Farmer>') !== true) return undefined
  const facts = factsOf(info, main)
  if (facts === undefined || (await stateOf(save))?.text !== state.text) return undefined
  return { save, facts, files, state: state.text }
}

interface FolderState {
  readonly paths: readonly string[]
  /** Name, size, time and number of each file. */
  readonly text: string
}

/** @returns undefined while the game writes, or where one of the two files of a save is missing */
export async function stateOf(save: Save): Promise<FolderState | undefined> {
  const state = await stateOfFolder(save)
  const { paths } = state
  const isWritten = paths.some((path) => path.endsWith(temporaryEnd))
  return isWritten || !paths.includes(save.name) || !paths.includes(infoFile) ? undefined : state
}

/** Whether the save is whole or not. @throws the error of the file system, also when a file vanishes meanwhile */
export async function stateOfFolder({ folder }: Save): Promise<FolderState> {
  const paths = await filesBelow(folder, '')
  const lines: string[] = []
  for (const path of paths) {
    const { size, mtimeNs, ino } = await lstat(join(folder, path), { bigint: true })
    lines.push([path, size, mtimeNs, ino].join(' '))
  }
  return { paths, text: lines.join('\n') }
}

/**
 * Reads the files of a save that need not be whole.
 * @returns undefined when they changed while they were read
 */
export async function filesAsTheyAre(save: Save): Promise<Pick<ExaminedSave, 'files' | 'state'> | undefined> {
  const { paths, text: state } = await stateOfFolder(save)
  const files: ArchivedFile[] = []
  for (const path of paths) files.push(await readWhole(save, path))
  return (await stateOfFolder(save)).text === state ? { files, state } : undefined
}

/** Links are left out, and names that begin with a dot: those are of farmgate or of a file system. */
async function filesBelow(folder: string, within: string): Promise<string[]> {
  const paths: string[] = []
  for (const entry of await readdir(join(folder, within), { withFileTypes: true })) {
    if (entry.name.startsWith('.')) continue
    const path = within === '' ? entry.name : `${within}/${entry.name}`
    if (entry.isFile()) paths.push(path)
    else if (entry.isDirectory()) paths.push(...(await filesBelow(folder, path)))
  }
  return paths.sort()
}

/** @returns undefined for a file that is not one of the save's own two */
function scanOf({ name }: Save, path: string): TextScan | undefined {
  if (path === name) return scanText(mainElements)
  return path === infoFile ? scanText(infoElements) : undefined
}

async function readWhole({ folder }: Save, path: string, scan?: TextScan): Promise<ArchivedFile> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const piece of piecesOf(join(folder, path))) {
    hash.update(piece)
    scan?.take(piece)
    bytes += piece.length
  }
  return { path, bytes, sha256: hash.digest('hex') }
}
