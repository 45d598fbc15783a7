/** The saves of a simulated farm on a disk: written when the night ends, loaded at the start and at a reload. */
import { join } from 'node:path'
import type { FarmSaves } from './farm.ts'
import { loadSave, saveName, savingSteps } from './save-files.ts'

/** About as much as a farm in its first year. */
const bytes = 200_000

/**
 * @param dir `SAVES_DIR`
 * @param onFailure called when a save cannot be written; the farm continues, as the game does
 */
export const savesBelow = (dir: string, onFailure: (error: unknown) => void): FarmSaves => ({
  write(save) {
    try {
      for (const { run } of savingSteps(join(dir, 'Saves'), { ...save, bytes })) run()
    } catch (error) {
      onFailure(error)
    }
  },
  load: (farm) => loadSave(join(dir, 'Saves'), saveName(farm))?.date,
  open(name) {
    const found = loadSave(join(dir, 'Saves'), name)
    return found && { ...found, farmId: Number(/-?[0-9]+$/.exec(name)?.[0] ?? 0) }
  },
})
