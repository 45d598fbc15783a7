/** Finds saves in what was unpacked: SMAPI's archives have them at the top, others have folders around them. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { infoFile, type Save } from './saves-folder.ts'

/** Folders in folders: those of archives, and `Saves` around the saves. */
const deepest = 4

/** The names of saves among the files of one folder: the game wants the folder to have the name of the larger file. */
export const savesAmong = (files: readonly string[]): string[] =>
  files.includes(infoFile) ? files.filter((name) => /^[^.].*_[0-9]+$/.test(name)) : []

/** @throws the error of the file system */
export async function savesWithin(folder: string, depth = 0): Promise<Save[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const files = entries.flatMap((entry) => (entry.isFile() ? [entry.name] : []))
  const saves = savesAmong(files).map((name) => ({ name, folder }))
  if (saves.length > 0 || depth === deepest) return saves
  const folders = entries.flatMap((entry) => (entry.isDirectory() ? [join(folder, entry.name)] : []))
  return (await Promise.all(folders.map((one) => savesWithin(one, depth + 1)))).flat()
}
