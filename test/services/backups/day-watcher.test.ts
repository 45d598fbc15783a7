/** When a backup is made (docs/backups.md, "When one is made"). */
import { readdirSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadSave, savingSteps } from '../../../bridges/simulated/save-files.ts'
import { verifyArchive } from '../../../services/archives/read-archive.ts'
import { clover } from '../../backups/saved-farm.ts'
import { eventually } from '../../wait.ts'
import { inTheNight, name, summer, watchedFarm } from './watched-farm.ts'

test('after each game day one backup is made, and verified', async () => {
  const { farm, controls, backups } = await inTheNight()
  for (const day of [6, 7]) {
    farm.save({ date: summer(day) })
    controls.day(summer(day))
    await eventually(async () => expect(await backups.days()).toHaveLength(day - 4))
    controls.night()
  }
  const list = await backups.list()
  expect(list.map(({ day, reason }) => [day, reason])).toEqual([
    [7, 'day'],
    [6, 'day'],
    [5, 'day'],
  ])
  for (const { id, verifiedAt } of list) {
    expect(verifiedAt).toMatch(/Z$/)
    expect((await verifyArchive(join(farm.folder, `${id}.zip`))).people).toContain('Abby')
  }
})

test('none is made during the night, also of a complete save: manually 409 save_in_progress', async () => {
  const { farm, controls, backups } = await inTheNight()
  farm.save({ date: summer(6) })
  await expect(backups.port.makeBackup()).rejects.toMatchObject({ failure: { kind: 'save_in_progress' } })
  expect(await backups.days()).toEqual([5])
  controls.day(summer(6))
  await eventually(async () => expect(await backups.days()).toEqual([6, 5]))
})

test('a save that is completed in the night is backed up when the next day has begun, not before', async () => {
  const { farm, controls, backups, notYet, clock } = await inTheNight()
  const steps = savingSteps(farm.saves, { ...clover, date: summer(6) })
  for (const { run } of steps.slice(0, 3)) run()
  controls.day(summer(5))
  await notYet()
  controls.night()
  for (const { run } of steps) run()
  clock.advance(60_000)
  await backups.port.restoreBackup('none', true)
  expect(await backups.days()).toEqual([5])
  controls.day(summer(6))
  await eventually(async () => expect(await backups.days()).toEqual([6, 5]))
})

test('a manual one is made at any time, also while the game is offline', async () => {
  const { farm, controls, backups } = await inTheNight()
  farm.save({ date: summer(6) })
  controls.become({ isOnline: false })
  expect(await backups.port.makeBackup()).toMatchObject({ reason: 'manual', day: 6 })
})

describe('a game that crashes in the night after', () => {
  const steps = savingSteps('anywhere', clover).map(({ what }, at) => [what, at + 1] as const)

  test.each(steps)('%s: the backup is complete, and so is that of the next night', async (_what, made) => {
    const { farm, controls, backups, notYet } = await inTheNight()
    const night = savingSteps(farm.saves, { ...clover, date: summer(6) })
    for (const { run } of night.slice(0, made)) run()
    controls.become({ isOnline: false })
    const loaded = loadSave(farm.saves, name)?.date.day
    controls.day(summer(loaded ?? 5))
    const isWhole = made === night.length
    // Between the making of the folder and the last rename, a temporary file is in it.
    if (made > 1 && !isWhole) {
      await notYet()
      await expect(backups.port.makeBackup()).rejects.toMatchObject({ failure: { kind: 'save_in_progress' } })
    }
    if (isWhole) await eventually(async () => expect(await backups.days()).toEqual([6, 5]))
    else expect(await backups.days()).toEqual([5])
    controls.night()
    for (const { run } of night) run()
    controls.day(summer(6))
    await eventually(async () => expect(await backups.days()).toEqual([6, 5]))
  })
})

test('on a slow disk, where the day begins before the save is complete, farmgate checks every second and backs it up once it is', async () => {
  const { farm, controls, backups, notYet, clock } = await inTheNight()
  const steps = savingSteps(farm.saves, { ...clover, date: summer(6) })
  steps[0]?.run()
  steps[1]?.run()
  controls.day(summer(6))
  for (const { run } of steps.slice(2)) {
    expect(await notYet()).toBe(1000)
    expect(await backups.days()).toEqual([5])
    run()
    clock.advance(1000)
  }
  await eventually(async () => expect(await backups.days()).toEqual([6, 5]))
})

describe('an incomplete save is not backed up, nor manually: 409 save_in_progress', () => {
  test.each<[string, (at: (file: string) => string) => void]>([
    ['the larger file is torn', (at) => truncateSync(at(name), 300)],
    ['SaveGameInfo is torn', (at) => truncateSync(at('SaveGameInfo'), 100)],
    ['a file is empty after a power cut', (at) => truncateSync(at(name), 0)],
    ['a file is full of zeros after a power cut', (at) => writeFileSync(at(name), Buffer.alloc(5000))],
    ['SaveGameInfo is missing', (at) => rmSync(at('SaveGameInfo'))],
    ['the larger file is missing', (at) => rmSync(at(name))],
    ['a temporary file is next to it', (at) => writeFileSync(at(`${name}_STARDEWVALLEYSAVETMP`), '')],
    ['its files are of two days', (at) => writeFileSync(at(name), readFileSync(at(`${name}_old`)))],
  ])('%s', async (_what, damage) => {
    const { farm, controls, backups, notYet } = await inTheNight()
    farm.save({ date: summer(6) })
    damage((file) => join(farm.saves, name, file))
    controls.day(summer(6))
    expect(await notYet()).toBe(1000)
    await expect(backups.port.makeBackup()).rejects.toMatchObject({ failure: { kind: 'save_in_progress' } })
    expect(await backups.days()).toEqual([5])
    controls.night()
    farm.save({ date: summer(7) })
    rmSync(join(farm.saves, name, `${name}_STARDEWVALLEYSAVETMP`), { force: true })
    controls.day(summer(7))
    await eventually(async () => expect(await backups.days()).toEqual([7, 5]))
  })
})

test.each<[string, (watched: ReturnType<typeof watchedFarm>) => void, days: readonly number[]]>([
  ['is changed', ({ farm }) => farm.saveAgain(), [5]],
  ['loses a file', ({ farm }) => rmSync(join(farm.saves, name, `${name}_old`)), [5]],
])('a save that %s while it is archived is not a failure: it is read again', async (_how, change, days) => {
  const watched = watchedFarm()
  const { farm, controls, log, clock, notYet, open } = watched
  farm.save({ date: summer(4) })
  farm.save({ date: summer(5) })
  let asked = 0
  const backups = open({
    clock: {
      ...clock,
      /** Called once at the start, and then after reading the save. */
      now() {
        asked += 1
        if (asked === 2) change(watched)
        return clock.now()
      },
    },
  })
  controls.day(summer(5))
  expect(await notYet()).toBe(1000)
  expect([await backups.days(), readdirSync(farm.folder), log]).toEqual([[], [], []])
  clock.advance(1000)
  await eventually(async () => expect(await backups.days()).toEqual(days))
})

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
