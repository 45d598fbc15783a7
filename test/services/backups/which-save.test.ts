/** Which saves are backed up, and which are not (docs/backups.md, "When one is made"). */
import { readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { savingSteps } from '../../../bridges/simulated/save-files.ts'
import { verifyArchive } from '../../../services/backups/read-archive.ts'
import { clover } from '../../backups/saved-farm.ts'
import { eventually } from '../../wait.ts'
import { inTheNight, name, summer, watchedFarm } from './watched-farm.ts'

describe('of several saves in one volume', () => {
  test('the farm that the game plays is backed up, whatever happens to another', async () => {
    const watched = watchedFarm()
    const { farm, controls } = watched
    const backups = watched.open()
    const other = { farmName: 'Juniper', farmId: 987_654_321, date: summer(20) }
    farm.save()
    farm.save(other)
    // The other one is being written, and torn.
    savingSteps(farm.saves, { ...clover, ...other })[1]?.run()
    truncateSync(join(farm.saves, 'Juniper_987654321', 'SaveGameInfo'), 60)
    controls.day(summer(5))
    await eventually(async () => expect(await backups.days()).toEqual([5]))
    expect(await backups.list()).toMatchObject([{ farmName: 'Clover' }])
    farm.save(other)
    controls.become({ ...summer(20), farmName: 'Juniper' })
    await eventually(async () => expect(await backups.days()).toEqual([20, 5]))
  })

  test('of two with the same name the one that was written last is backed up', async () => {
    const watched = watchedFarm()
    const { farm, controls } = watched
    const backups = watched.open()
    farm.save({ farmId: 2, date: summer(5) })
    farm.save({ farmId: 1, date: summer(20) })
    utimesSync(join(farm.saves, 'Clover_1', 'Clover_1'), 0, 0)
    controls.day(summer(5))
    await eventually(async () => expect(await backups.days()).toEqual([5]))
  })

  test('of two with the same name the one at the played day is backed up, although the other was written last', async () => {
    const { farm, controls, open } = watchedFarm()
    const backups = open()
    farm.save({ farmId: 2, date: summer(5) })
    farm.save({ farmId: 1, date: summer(20) })
    utimesSync(join(farm.saves, 'Clover_2', 'Clover_2'), 0, 0)
    controls.day(summer(5))
    await eventually(async () => expect(await backups.days()).toEqual([5]))
  })
})

describe('a renamed save', () => {
  const renamed = 'Old farm_123456789'

  test('is found by the name of the farm in it', async () => {
    const { farm, controls, backups } = await inTheNight()
    rmSync(join(farm.saves, name), { recursive: true })
    farm.save({ date: summer(6) }, renamed)
    controls.day(summer(6))
    await eventually(async () => expect(await backups.days()).toEqual([6, 5]))
    const [{ id } = { id: '' }] = await backups.list()
    expect((await verifyArchive(join(farm.folder, `${id}.zip`))).save).toBe(renamed)
  })

  test.each(['A farm_1', 'Zinnia_1'])('as %s has no second backup of the same day', async (other) => {
    const { farm, controls, backups } = await inTheNight()
    rmSync(join(farm.saves, name), { recursive: true })
    farm.save({ date: summer(5) }, other)
    controls.day(summer(5))
    await backups.close()
    expect(await backups.days()).toEqual([5])
  })
})

describe('no second backup is made of the same content', () => {
  test('when the day is reported again after an outage of the game', async () => {
    const { controls, backups } = await inTheNight()
    controls.become({ isOnline: false })
    controls.day(summer(5))
    await backups.close()
    expect(await backups.days()).toEqual([5])
  })

  test.each([
    ['', 'kept'],
    [', whose index was lost', 'lost'],
  ])('after a restart of farmgate%s', async (_what, index) => {
    const { farm, controls, backups, open } = await inTheNight()
    await backups.close()
    if (index === 'lost') rmSync(join(farm.folder, 'index.json'))
    const next = open()
    controls.day(summer(5))
    await next.close()
    expect(await next.days()).toEqual([5])
  })

  test('unless the existing one cannot be read back', async () => {
    const { farm, controls, backups, clock, open } = await inTheNight()
    await backups.close()
    const [{ id } = { id: '' }] = await backups.list()
    const path = join(farm.folder, `${id}.zip`)
    const bytes = readFileSync(path)
    bytes[100] = (bytes[100] ?? 0) ^ 0xff
    writeFileSync(path, bytes)
    rmSync(join(farm.folder, 'index.json'))
    clock.advance(60_000)
    const next = open()
    controls.day(summer(5))
    await next.close()
    expect((await next.list()).map(({ verifiedAt }) => verifiedAt !== undefined)).toEqual([true, false])
  })
})

describe('no backup is made of a day that no one played', () => {
  test('and the next played one has one', async () => {
    const { farm, controls, backups } = await inTheNight()
    farm.save({ date: summer(6) })
    controls.day(summer(6), 0)
    await eventually(async () => expect(await backups.days()).toEqual([6, 5]))
    for (const day of [7, 8]) {
      controls.night()
      farm.save({ date: summer(day) })
      controls.day(summer(day), 0)
      // A manual one follows the check in progress.
      const { id } = await backups.port.makeBackup()
      await backups.port.removeBackup(id)
    }
    expect(await backups.days()).toEqual([6, 5])
    controls.become({ playerCount: 1 })
    controls.become({ playerCount: 0 })
    controls.night()
    farm.save({ date: summer(9) })
    controls.day(summer(9), 0)
    await eventually(async () => expect(await backups.days()).toEqual([9, 6, 5]))
  })

  test("but players before farmgate's start are unknown: the first complete save has one", async () => {
    const watched = watchedFarm()
    watched.farm.save()
    watched.controls.day(summer(5), 0)
    const backups = watched.open()
    await eventually(async () => expect(await backups.days()).toEqual([5]))
  })
})
