import { onTestFinished } from 'vitest'
import { loadSave } from '../../../bridges/simulated/save-files.ts'
import { savedFarm } from '../../backups/saved-farm.ts'
import type { LogLine } from '../../logs.ts'
import { atDay9, name } from './loading-game.ts'

/** The farm of one test, with the log of the farmgate beside it. */
export function farmToRestore() {
  const saved = savedFarm()
  onTestFinished(saved.remove)
  const log: LogLine[] = []
  return {
    saved,
    log,
    atDay9: () => atDay9(saved, log),
    /** What the game would load. */
    day: () => loadSave(saved.saves, name)?.date.day,
  }
}
