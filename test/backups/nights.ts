/**
 * Nights of a farm whose game crashes at any step of its save, in one of five, at times by a power cut that tears a
 * file; with days without players and restarts of farmgate. Then each backup is restored.
 */
import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { type FarmDate, firstDay, tomorrow } from '../../bridges/simulated/calendar.ts'
import { seededRandom } from '../../bridges/simulated/random.ts'
import { loadSave, saveName, savingSteps } from '../../bridges/simulated/save-files.ts'
import { manualClock } from '../bridges/manual-clock.ts'
import { inMemory } from '../new-folder.ts'
import { aGame } from '../services/backups/a-game.ts'
import { backupsOf, clover, savedFarm } from './saved-farm.ts'

export interface NightsOutcome {
  readonly crashes: number
  readonly powerCuts: number
  readonly restarts: number
  /** Complete saves that no one had played. */
  readonly unplayed: number
  readonly backups: number
  /** The faults; empty when there are none. */
  readonly faults: readonly string[]
}

const dayText = ({ year, season, day }: Pick<FarmDate, 'day' | 'year'> & { season: string }) =>
  `year ${year}, ${season} ${day}`

/** @param seed nights of the same seed are the same */
export async function simulateNights(seed: string, nights: number): Promise<NightsOutcome> {
  // They flush thousands of files to the disk.
  const farm = savedFarm(inMemory)
  const random = seededRandom(seed)
  const clock = manualClock()
  const name = saveName(clover)
  const loaded = () => loadSave(farm.saves, name)?.date
  const { game, ...controls } = aGame()
  const open = () => backupsOf(farm, game, { clock, keep: { days: nights * 2, weeks: 0, months: 0 } })
  let backups = open()
  const counts = { crashes: 0, powerCuts: 0, restarts: 0, unplayed: 0 }
  const faults: string[] = []
  /** The day of each expected backup, oldest first. */
  const expected: string[] = []
  /** Counts the saves, so that each differs; undefined while the one on the disk is torn. */
  let written = 0
  let onDisk: number | undefined
  let backedUp: number | undefined
  /** The last checked save: farmgate does not judge it again. */
  let judged: number | undefined
  let players = 1
  // Players before farmgate's start are unknown.
  let isPlayed = true

  const daily = async () =>
    (await backups.port.backups()).backups.filter(({ reason }) => reason === 'day').reverse()
  /** The game reports that a day has begun; returns when farmgate has checked its save. */
  const begin = async (date: FarmDate) => {
    isPlayed ||= players > 0
    if (onDisk !== undefined) {
      const isNew = onDisk !== judged && onDisk !== backedUp
      if (isNew && !isPlayed) counts.unplayed += 1
      if (isNew && isPlayed) {
        expected.push(dayText(date))
        backedUp = onDisk
      }
      judged = onDisk
      isPlayed = players > 0
    }
    controls.day(date, players)
    for (let turn = 0; turn < 2; turn += 1) {
      await new Promise(setImmediate)
      // It follows the check in progress.
      await backups.port.restoreBackup('none', true)
    }
    const days = (await daily()).map(dayText)
    if (days.length !== expected.length || days.at(-1) !== expected.at(-1))
      faults.push(`${dayText(date)}: ${days.length} backups instead of ${expected.length}`)
    controls.night()
    clock.advance(60_000)
  }
  const restart = async () => {
    counts.restarts += 1
    await backups.close()
    controls.become({ isOnline: false })
    backups = open()
    isPlayed = true
    judged = undefined
  }
  /** @returns whether the save of the next day became complete */
  const crash = (steps: ReturnType<typeof savingSteps>): boolean => {
    counts.crashes += 1
    const made = steps.slice(0, random.whole(0, steps.length))
    for (const { run } of made) run()
    controls.become({ isOnline: false })
    let isWhole = made.length === steps.length
    // A torn file has its final name.
    if (isWhole && random.chance(0.5)) {
      counts.powerCuts += 1
      truncateSync(join(farm.saves, name, random.pick([name, 'SaveGameInfo'])), random.whole(0, 200))
      onDisk = undefined
      isWhole = false
    } else if (isWhole) onDisk = written
    else if (made.length > 1) onDisk = undefined
    return isWhole
  }

  try {
    let date = firstDay
    farm.save({ date })
    onDisk = 0
    for (let night = 0; night < nights; night += 1) {
      players = random.chance(0.9) ? 1 : 0
      await begin(date)
      if (random.chance(0.05)) await restart()
      const next = tomorrow(date)
      const save = () => {
        written += 1
        return savingSteps(farm.saves, { ...clover, date: next, farmhands: [`Player ${written}`] })
      }
      let isSaved = false
      while (!isSaved && random.chance(0.2)) {
        isSaved = crash(save())
        const day = loaded()
        if (day !== undefined) await begin(day)
      }
      if (!isSaved) {
        for (const { run } of save()) run()
        onDisk = written
      }
      date = next
    }
    await begin(date)
    const made = await daily()
    if (made.map(dayText).join() !== expected.join()) faults.push('the backups are of other days')
    game.reload = async () => {
      controls.become({ ...loaded(), playerCount: 0, lastUpdated: new Date(clock.now()).toISOString() })
      return 'World reloaded'
    }
    controls.day(date, 0)
    for (const [at, backup] of [...made.entries()].reverse()) {
      if (backup.verifiedAt === undefined) faults.push(`${backup.id} is not verified`)
      // The safety copy has another time than the last backup.
      clock.advance(1000)
      const restored = await backups.port.restoreBackup(backup.id, false).catch(String)
      const day = loaded()
      if (day === undefined || dayText(day) !== expected[at])
        faults.push(`${backup.id} restored: ${day && dayText(day)} (${JSON.stringify(restored)})`)
      if (typeof restored === 'object') await backups.port.removeBackup(restored.safetyBackup ?? '')
    }
    return { ...counts, backups: made.length, faults }
  } finally {
    await backups.close()
    farm.remove()
  }
}
