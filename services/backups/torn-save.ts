/** The facts of a save that is not whole. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { KeptBackup } from './backup-index.ts'
import type { Manifest } from './manifest.ts'
import { factsOf, infoElements, scanText } from './save-text.ts'
import { infoFile, type Save, temporaryEnd } from './saves-folder.ts'

type Facts = Pick<Manifest, 'farmName' | 'season' | 'day' | 'year' | 'gameVersion' | 'people'>

/**
 * The facts of the first `SaveGameInfo` that can be read: the file itself, the older copy that the game keeps, or the one
 * that it was writing.
 * @param last a backup of the save, whose facts are used when there is none
 */
export async function factsAsFarAsKnown({ folder }: Save, last: KeptBackup): Promise<Facts> {
  for (const end of ['', '_old', temporaryEnd]) {
    const scan = scanText(infoElements)
    scan.take(await readFile(join(folder, infoFile + end)).catch(() => Buffer.alloc(0)))
    const info = scan.found()
    const facts = factsOf(info, { ...info, values: new Map() })
    if (facts !== undefined) return { ...facts, ...facts.day, people: [...facts.people] }
  }
  return last
}
