/** The part of adding a save that runs in a thread: reading and unpacking what others have packed. */
import { stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { inSharedFolder, type SharedFolder } from '../../lib/shared-folder/shared-folder.ts'
import { archiveLimits, tooManyFiles } from '../archives/allowed-entries.ts'
import { piecesOf } from '../archives/file-pieces.ts'
import { infoFile } from '../archives/manifest.ts'
import { readArchive } from '../archives/read-archive.ts'
import { place, unpackTo } from '../archives/unpack.ts'
import { type ExaminedSave, examineSave } from './examine-save.ts'
import { ImportRefused } from './import-refused.ts'
import type { Save } from './saves-folder.ts'
import { savesWithin } from './saves-within.ts'

export interface ImportedFrom {
  /** Path of a zip or a folder. */
  readonly from: string
  /** The name of the save to import, where there are several. */
  readonly save?: string | undefined
}

/** Where a save is unpacked: a folder below the operator's one. */
export interface Staging {
  readonly top: string
  readonly folder: string
}

export interface ImportCalls {
  /**
   * Copies or unpacks everything into the staging folder. @returns the save to import
   * @throws {ImportRefused} it is not whole @throws {BrokenArchive} @throws the error of the file system
   */
  bring(options: ImportedFrom, staging: Staging): Promise<ExaminedSave>
  /** As `bring`, where everything is in the folder already. */
  examine(staging: Staging, save: string): Promise<ExaminedSave>
  /** Unpacks a zip into a folder that only farmgate can write. @throws {BrokenArchive} @throws the error of the file system */
  unpack(zip: string, folder: string): Promise<void>
}

export const importCalls: ImportCalls = {
  async bring({ from, save }, staging) {
    await bringAll(from, staging)
    return examined(staging, save)
  },
  examine: (staging, save) => examined(staging, save),
  unpack: (zip, folder) =>
    inSharedFolder(folder, async (into) => void (await readArchive(zip, unpackTo(into)))),
}

async function examined(staging: Staging, name: string | undefined): Promise<ExaminedSave> {
  const found = await chosen(staging, name)
  const save = await examineSave(found)
  if (save === undefined)
    throw new ImportRefused(
      `The save ${found.name} is not whole: a file is missing, cut off, or of another day.`,
    )
  return save
}

async function bringAll(from: string, { top, folder }: Staging): Promise<void> {
  const source = await stat(from).catch(() => undefined)
  if (source === undefined) throw new ImportRefused(`There is no file or folder ${from}.`)
  await inSharedFolder(top, async (opened) => {
    const into = join(relative(top, folder), 'save')
    await opened.makeFolder(into)
    await opened.within(into, async (staging) => {
      if (source.isDirectory())
        await inSharedFolder(from, (found) => copy(found, staging, '', from, { ...archiveLimits }))
      else await readArchive(from, unpackTo(staging))
    })
  })
}

/**
 * Copies a folder, without names that begin with a dot. A file with holes has all of its zeros in the copy.
 * @param left what may still be copied
 * @throws {ImportRefused} for a link, and before more is written than an archive may have
 */
async function copy(
  from: SharedFolder,
  to: SharedFolder,
  within: string,
  shown: string,
  left: { files: number; bytes: number },
): Promise<void> {
  for await (const { name, kind } of from.entries()) {
    if (name.startsWith('.')) continue
    const path = within === '' ? name : `${within}/${name}`
    if (kind === 'link') throw new ImportRefused(`${join(shown, path)} is a link.`)
    left.files -= 1
    if (left.files < 0) throw new ImportRefused(`${shown} is refused: ${tooManyFiles(archiveLimits)}.`)
    if (kind === 'folder') await from.within(name, (below) => copy(below, to, path, shown, left))
    if (kind !== 'file') continue
    await using file = await from.open(name, 'read')
    left.bytes -= (await file.stat()).size
    if (left.bytes < 0) throw new ImportRefused(`${shown} has more than ${archiveLimits.bytes} bytes.`)
    await place(to, path, piecesOf(file))
  }
}

async function chosen({ top, folder }: Staging, name: string | undefined): Promise<Save> {
  const found = await savesWithin(top, folder)
  const names = found.map((one) => one.name).sort()
  const fitting = name === undefined ? found : found.filter((one) => one.name === name)
  const [save, ...others] = fitting
  if (save !== undefined && others.length === 0) return save
  if (found.length === 0)
    throw new ImportRefused(
      `There is no save in it: a folder with ${infoFile} and a file such as Clover_123456789.`,
    )
  throw new ImportRefused(
    `It has the saves ${names.join(', ')}: name one of them with --save (over HTTP save=).`,
  )
}
