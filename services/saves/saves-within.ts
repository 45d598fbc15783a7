/** Finds the saves in an unpacked archive: in archives of SMAPI they are at the top, in others they are in subfolders. */

import { join, relative } from 'node:path'
import { inSharedFolder, type SharedFolder } from '../../lib/shared-folder/shared-folder.ts'
import { infoFile } from '../archives/manifest.ts'
import type { Save } from './saves-folder.ts'

/** Maximum depth of searched folders. */
const deepest = 4

/**
 * The names of the saves whose files are in one folder: the game gives the larger file of a save the name of its
 * folder.
 */
export const savesAmong = (files: readonly string[]): string[] =>
  files.includes(infoFile) ? files.filter((name) => /^[^.].*_[0-9]+$/.test(name)) : []

/** @param folder below `top` @throws the error of the file system */
export const savesWithin = (top: string, folder: string): Promise<Save[]> =>
  inSharedFolder(top, (opened) =>
    opened.within(relative(top, folder), (within) => search(within, top, folder, 0)),
  )

async function search(opened: SharedFolder, top: string, folder: string, depth: number): Promise<Save[]> {
  const files: string[] = []
  const folders: string[] = []
  for await (const { name, kind } of opened.entries()) {
    if (kind === 'file') files.push(name)
    if (kind === 'folder') folders.push(name)
  }
  const saves = savesAmong(files).map((name) => ({ name, top, folder }))
  if (saves.length > 0 || depth === deepest) return saves
  const found: Save[] = []
  for (const name of folders)
    found.push(...(await opened.within(name, (one) => search(one, top, join(folder, name), depth + 1))))
  return found
}
