import { onTestFinished } from 'vitest'
import { loadSave } from '../../../bridges/simulated/save-files.ts'
import { beforeEachDiskChange } from '../../backups/disk-changes.ts'
import { type SavedFarm, savedFarm } from '../../backups/saved-farm.ts'
import type { LogLine } from '../../logs.ts'
import { atDay9, name, started } from './loading-game.ts'

/** The farm of one test, with the log of its farmgate. */
export function farmToRestore() {
  const saved = savedFarm()
  onTestFinished(saved.remove)
  const log: LogLine[] = []
  return {
    saved,
    log,
    atDay9: () => atDay9(saved, log),
    /** The day that the game would load. */
    day: () => loadSave(saved.saves, name)?.date.day,
  }
}

/**
 * Restores; from a change of the disk on, with its number among equal ones, nothing changes any more: what stands then
 * is what a process leaves that is killed before that change. @returns the changes until then
 */
export async function restoreUntil(saved: SavedFarm, id: string, fatal = '', count = 1) {
  const changes: string[] = []
  let seen = 0
  const change = (words: string) => {
    if (words === fatal) seen += 1
    if (seen >= count) throw new Error('the process is killed')
    changes.push(words)
  }
  const { game, port, close } = started(saved)
  const { reload } = game.bridge
  game.bridge.reload = async () => {
    change('the game loads')
    return reload()
  }
  const end = beforeEachDiskChange(({ what, file }) => change(`${what} ${file}`))
  await port.restoreBackup(id, false).catch(() => undefined)
  await close()
  end()
  return { changes, isKilled: seen >= count }
}

/** Kills a restore once the game has loaded the backup. */
export const killedAfterLoad = (saved: SavedFarm, id: string) =>
  restoreUntil(saved, id, 'write .farmgate-restore.json.new', 2)
