/** The facts of an incomplete save. */
import type { KeptBackup } from './kept-backup.ts'
import type { Manifest } from './manifest.ts'
import { factsOf, infoElements, scanText } from './save-text.ts'
import { infoTexts, inSave, type Save } from './saves-folder.ts'

type Facts = Pick<Manifest, 'farmName' | 'season' | 'day' | 'year' | 'gameVersion' | 'people'>

/**
 * The facts of the first readable `SaveGameInfo`: the file itself, the older copy that the game keeps, or the one that
 * it was writing.
 * @param last a backup of the save, whose facts are used when there is none
 */
export const factsAsFarAsKnown = (save: Save, last: KeptBackup): Promise<Facts> =>
  inSave(save, async (folder) => {
    for await (const text of infoTexts(folder)) {
      const scan = scanText(infoElements)
      scan.take(text)
      const info = scan.found()
      const facts = factsOf(info, { ...info, values: new Map() })
      if (facts !== undefined) return { ...facts, ...facts.day, people: [...facts.people] }
    }
    return last
  })
