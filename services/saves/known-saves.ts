/** The saves as an operation needs them that has the game play another farm. */
import { FarmError } from '../../handlers/farm-error.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { type ListedSave, saveList } from './list-saves.ts'
import { loadNext } from './pointer.ts'
import { activeSave } from './saves-folder.ts'

interface Parts {
  /** `SAVES_DIR` */
  readonly savesDir: string | undefined
  readonly game: Pick<GameBridge, 'status'>
}

export function knownSaves({ savesDir, game }: Parts) {
  const list = savesDir === undefined ? undefined : saveList(savesDir)
  const all = async (): Promise<readonly ListedSave[]> => (await list?.all()) ?? []
  const listed = async (name: string): Promise<ListedSave | undefined> =>
    (await all()).find((one) => one.name === name)

  /** Undefined while that is not known. */
  async function isPlayed(name: string): Promise<boolean | undefined> {
    const status = await game.status()
    if (savesDir === undefined || !status.isOnline || status.farmName === '') return undefined
    return (await activeSave(savesDir, status))?.name === name
  }

  return {
    all,
    listed,
    isPlayed,
    /**
     * Has the next start of the game load the save from before.
     * @param before undefined where it is not known @throws {FarmError} disk_failed; save_refused without it
     */
    async loadAgain(before: string | undefined): Promise<void> {
      if (savesDir === undefined || before === undefined)
        throw new FarmError({ kind: 'save_refused', sentence: 'No save from before is known' })
      await loadNext(savesDir, before)
    },
  }
}
