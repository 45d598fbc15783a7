/** A save as a player's own zip. */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'
import { type GameSave, saveName, savingSteps } from '../../bridges/simulated/save-files.ts'
import { newFolder } from '../new-folder.ts'

/** @param more files of the same archive, by their paths */
export async function zippedSave(
  save: GameSave,
  more: Readonly<Record<string, string>> = {},
): Promise<Buffer<ArrayBuffer>> {
  const folder = newFolder()
  for (const { run } of savingSteps(folder, save)) run()
  const name = saveName(save)
  const zip = new ZipFile()
  for (const file of readdirSync(join(folder, name)))
    zip.addBuffer(readFileSync(join(folder, name, file)), `${name}/${file}`)
  for (const [path, text] of Object.entries(more)) zip.addBuffer(Buffer.from(text), path)
  zip.end()
  const packed = await buffer(zip.outputStream)
  rmSync(folder, { recursive: true })
  return Buffer.from(packed)
}
