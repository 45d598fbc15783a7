/** A save outside of the game's saves, and imports of it. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { beforeEach, expect } from 'vitest'
import { ZipFile } from 'yazl'
import { type GameSave, saveName, savingSteps } from '../../../bridges/simulated/save-files.ts'
import { importSave } from '../../../services/saves/import-save.ts'
import { clover } from '../../backups/saved-farm.ts'
import { newFolder } from '../../new-folder.ts'

export const theirs: GameSave = {
  ...clover,
  date: { season: 'summer', day: 5, year: 2 },
  host: 'Robin',
  farmhands: ['Abby', 'Sam'],
}
export const name = saveName(theirs)
/** Milliseconds since 1970, of each import. */
export const now = Date.parse('2026-11-22T12:00:00Z')

let folder = ''
export const inFolder = (file: string) => join(folder, file)
/** `SAVES_DIR`, the target of the import. */
export const savesDir = () => inFolder('game')
export const saves = () => join(savesDir(), 'Saves')
export const outside = () => inFolder('elsewhere')
export const zipPath = () => inFolder('save.zip')
/** Gives each test of a file its own folder, in which the save is. */
export function inNewFolders(): void {
  beforeEach(() => {
    folder = newFolder()
    mkdirSync(saves(), { recursive: true })
    write(theirs)
  })
}

/** The game saves the farm, in another folder. */
export function write(save: GameSave): void {
  for (const { run } of savingSteps(outside(), save)) run()
}

interface Packed {
  readonly name: string
  readonly content: string | Buffer
  readonly mode?: number
}

export const filesOf = (save: GameSave, prefix = `${saveName(save)}/`): Packed[] =>
  readdirSync(join(outside(), saveName(save))).map((file) => ({
    name: prefix + file,
    content: readFileSync(join(outside(), saveName(save), file)),
  }))

export async function pack(files: readonly Packed[]): Promise<string> {
  const zip = new ZipFile()
  for (const file of files)
    zip.addBuffer(Buffer.from(file.content), file.name, { mode: file.mode ?? 0o100644 })
  zip.end()
  writeFileSync(zipPath(), await buffer(zip.outputStream))
  return zipPath()
}

export const take = (from: string, more: { save?: string } = {}) =>
  importSave({ from, savesDir: savesDir(), ...more }, now)

/** Imports, and expects that nothing at all is added to the saves. */
export async function refused(from: string, message: RegExp, more: Parameters<typeof take>[1] = {}) {
  const before = readdirSync(saves())
  await expect(take(from, more)).rejects.toThrow(message)
  expect(readdirSync(saves())).toEqual(before)
}
