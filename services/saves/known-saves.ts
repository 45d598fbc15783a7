/** The saves as an operation needs them that has the game play another farm. */
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { type ListedSave, markOf, saveList } from './list-saves.ts'
import { loadNext } from './pointer.ts'
import { activeSave } from './saves-folder.ts'
import type { RightFarm } from './watch-right-farm.ts'

interface Parts {
  /** `SAVES_DIR` */
  readonly savesDir: string | undefined
  readonly game: Pick<GameBridge, 'status'>
  readonly rightFarm: Pick<RightFarm, 'allow'>
}

export function knownSaves({ savesDir, game, rightFarm }: Parts) {
  const list = savesDir === undefined ? undefined : saveList(savesDir)
  const listed = async (name: string): Promise<ListedSave | undefined> =>
    (await list?.all())?.find((one) => one.name === name)

  /** Undefined while that is not known. */
  async function isPlayed(name: string): Promise<boolean | undefined> {
    const status = await game.status()
    if (savesDir === undefined || !status.isOnline || status.farmName === '') return undefined
    const active = await activeSave(savesDir, status)
    if (active !== undefined) return active.name === name
    return (await listed(name))?.farmName === status.farmName
  }

  return {
    listed,
    isPlayed,
    /**
     * Has the next start of the game load the save from before, whose farm is then expected.
     * @param before undefined where it is not known @throws {FarmError} disk_failed
     */
    async loadAgain(before: string | undefined): Promise<void> {
      if (savesDir === undefined || before === undefined) return
      await loadNext(savesDir, before)
      const old = await listed(before)
      if (old !== undefined) await rightFarm.allow(markOf(old))
    },
    isPlayedAgain: (before: string | undefined): Promise<boolean | undefined> =>
      before === undefined ? Promise.resolve(true) : isPlayed(before),
  }
}
