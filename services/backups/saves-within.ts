/** Finds the saves in an unpacked archive: in archives of SMAPI they are at the top, in others they are in subfolders. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { infoFile, type Save } from './saves-folder.ts'

/** Maximum depth of folders that are searched. */
const deepest = 4

/** The names of the saves whose files are in one folder: the game names the larger file of a save as its folder. */
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
