/** Nights of a farm whose game crashes at any step of its save. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { archivePath } from '../../../runtime/backups/backup-index.ts'
import { verifyArchive } from '../../../runtime/backups/read-archive.ts'
import { daysPlayed, firstDay, tomorrow } from '../../../runtime/bridges/simulated/calendar.ts'
import { seededRandom } from '../../../runtime/bridges/simulated/random.ts'
import { loadSave, saveName, savingSteps } from '../../../runtime/bridges/simulated/save-files.ts'
import { backupsOf, clover, savedFarm } from '../../backups/saved-farm.ts'
import { eventually } from '../../wait.ts'
import { manualClock } from '../bridges/manual-clock.ts'
import { aGame } from './a-game.ts'

/** Of each of ten farms: 2,000 together. */
const nights = 200

test.each(Array.from({ length: 10 }, (_farm, seed) => seed))(
  'farm %i of ten: over 200 nights with a crash at any step in one of five, each verified backup is whole and of its day, and each save that became whole has one',
  {
    timeout: 600_000,
  },
  async (seed) => {
    const farm = savedFarm()
    onTestFinished(farm.remove)
    const random = seededRandom(`nights ${seed}`)
    const clock = manualClock()
    const { game, ...told } = aGame()
    const backups = backupsOf(farm, game, {
      clock,
      keep: { days: nights * 2, weeks: 0, months: 0 },
    })
    onTestFinished(backups.close)
    const whole = new Set<number>()
    let date = firstDay
    farm.save({ date })
    for (let night = 0; night < nights; night += 1) {
      told.day(date)
      whole.add(daysPlayed(date))
      await eventually(async () => {
        clock.advance(1000)
        expect((await backups.port.backups()).backups).toHaveLength(whole.size)
      })
      told.night()
      clock.advance(60_000)
      const next = tomorrow(date)
      const steps = savingSteps(farm.saves, { ...clover, date: next, farmhands: [`Player ${night}`] })
      const crash = random.whole(0, 4) === 0 ? random.whole(0, steps.length - 1) : steps.length
      for (const { run } of steps.slice(0, crash)) run()
      if (crash === steps.length) {
        date = next
        continue
      }
      // The game starts again, with the day before where it finds a save, and the day is played anew.
      told.become({ isOnline: false })
      const loaded = loadSave(farm.saves, saveName(clover))
      if (loaded !== undefined) told.day(loaded.date)
      told.night()
      for (const { run } of steps) run()
      date = next
    }
    for (const { id, season, day, year, verifiedAt } of (await backups.port.backups()).backups) {
      expect(verifiedAt).toBeDefined()
      expect(await verifyArchive(archivePath(farm.folder, id))).toMatchObject({ season, day, year })
    }
    expect(readFileSync(join(farm.folder, 'index.json'), 'utf8')).toContain('"backups"')
  },
)
