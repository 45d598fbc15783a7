/** A farm whose saves are watched, with a clock and a game that tests control. */
import { expect, onTestFinished } from 'vitest'
import { saveName } from '../../../bridges/simulated/save-files.ts'
import type { BackupParts } from '../../../services/backups/open-backups.ts'
import { backupsOf, clover, savedFarm } from '../../backups/saved-farm.ts'
import { manualClock } from '../../bridges/manual-clock.ts'
import { type LogLine, recorder } from '../../logs.ts'
import { eventually } from '../../wait.ts'
import { aGame } from './a-game.ts'

export const name = saveName(clover)
export const summer = (day: number) => ({ season: 'summer', day, year: 1 }) as const

export function watchedFarm(more: Partial<BackupParts> = {}) {
  const farm = savedFarm()
  const manual = manualClock()
  const { game, ...controls } = aGame()
  const log: LogLine[] = []
  const rests: number[] = []
  let onRest = () => {}
  /** The watcher rests after each inconclusive check. */
  const clock = {
    ...manual,
    after(milliseconds: number, run: () => void) {
      // Longer waits are for the next verification, and for an endless night.
      if (milliseconds <= 60_000) {
        rests.push(milliseconds)
        onRest()
      }
      return manual.after(milliseconds, run)
    },
  }
  const closed: (() => Promise<void>)[] = []
  /** Starts what a process of farmgate does with its backups. */
  const open = (own: Partial<BackupParts> = {}) => {
    const backups = backupsOf(farm, game, { clock, log: recorder(log), ...more, ...own })
    closed.push(backups.close)
    const list = async () => (await backups.port.backups()).backups
    return { ...backups, list, days: async () => (await list()).map(({ day }) => day) }
  }
  onTestFinished(async () => {
    for (const close of closed) await close()
    farm.remove()
  })
  return {
    ...{ farm, game, controls, log, clock, open },
    /** Waits for a check without a complete save. @returns the milliseconds until the next check */
    async notYet(): Promise<number> {
      if (rests.length === 0)
        await new Promise<void>((resolve) => {
          onRest = resolve
        })
      return rests.shift() ?? 0
    },
  }
}

/** A farm with a backup of day 5, in the following night of the game. */
export async function inTheNight(watched = watchedFarm()) {
  const { farm, controls } = watched
  const backups = watched.open()
  farm.save({ date: summer(5) })
  controls.day(summer(5))
  await eventually(async () => expect(await backups.days()).toEqual([5]))
  controls.night()
  return { ...watched, backups }
}
