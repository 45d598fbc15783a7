import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { loadSave } from '../../../bridges/simulated/save-files.ts'
import { type SavedFarm, savedFarm } from '../../backups/saved-farm.ts'
import type { LogLine } from '../../logs.ts'
import { atDay9, name } from './loading-game.ts'

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

const program = fileURLToPath(new URL('../../backups/killed-restore.ts', import.meta.url))

/** Restores the backup of day 5 in a separate process. @param fatal the change before which it is killed */
export async function restoreIn(saved: SavedFarm, id: string, fatal = '', count = 1) {
  const args = [program, saved.savesDir, saved.folder, id, fatal, String(count)]
  const ended: { stdout: string; signal?: unknown } = await promisify(execFile)(process.execPath, args).catch(
    (error: { stdout: string; signal: unknown }) => error,
  )
  return { changes: ended.stdout.trim().split('\n'), signal: ended.signal }
}

/** Kills a restore once the game has loaded the backup. */
export const killedAfterLoad = (saved: SavedFarm, id: string) =>
  restoreIn(saved, id, 'write .farmgate-restore.json.new', 2)
