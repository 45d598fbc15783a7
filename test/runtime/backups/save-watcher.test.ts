/** When a backup is made (docs/backups.md, "When one is made"). */
import { readdirSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifyArchive } from '../../../runtime/backups/read-archive.ts'
import { loadSave, savingSteps } from '../../../runtime/bridges/simulated/save-files.ts'
import { clover } from '../../backups/saved-farm.ts'
import { eventually } from '../../wait.ts'
import { summer, watchedFarm } from './watched-farm.ts'

const name = 'Clover_123456789'
type Watched = ReturnType<typeof watchedFarm>

/** A farm of which day 5 is backed up, and the game's night has begun. */
async function inTheNight(watched: Watched = watchedFarm()) {
  const { farm, told } = watched
  const backups = watched.open()
  farm.save({ date: summer(5) })
  told.day(summer(5))
  await eventually(async () => expect(await backups.days()).toEqual([5]))
  told.night()
  return { ...watched, backups }
}

test('after each game day one backup is made, which is verified', async () => {
  const { farm, told, backups } = await inTheNight()
  for (const day of [6, 7]) {
    farm.save({ date: summer(day) })
    told.day(summer(day))
    await eventually(async () => expect(await backups.days()).toHaveLength(day - 4))
    told.night()
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

test('none is made while the night lasts, also of a save that is whole: by hand 409 save_in_progress', async () => {
  const { farm, told, backups } = await inTheNight()
  farm.save({ date: summer(6) })
  await expect(backups.port.makeBackup()).rejects.toMatchObject({ failure: { kind: 'save_in_progress' } })
  expect(await backups.days()).toEqual([5])
  told.day(summer(6))
  await eventually(async () => expect(await backups.days()).toEqual([6, 5]))
})

test('a save that becomes whole in the night is backed up when the next day has begun, not before', async () => {
  const { farm, told, backups, notYet, clock } = await inTheNight()
  const steps = savingSteps(farm.saves, { ...clover, date: summer(6) })
  for (const { run } of steps.slice(0, 3)) run()
  told.day(summer(5))
  await notYet()
  told.night()
  for (const { run } of steps) run()
  clock.advance(60_000)
  await backups.port.restoreBackup('none', true)
  expect(await backups.days()).toEqual([5])
  told.day(summer(6))
  await eventually(async () => expect(await backups.days()).toEqual([6, 5]))
})

test('by hand one is made at any time, also while the game is away', async () => {
  const { farm, told, backups } = await inTheNight()
  farm.save({ date: summer(6) })
  told.become({ isOnline: false })
  expect(await backups.port.makeBackup()).toMatchObject({ reason: 'manual', day: 6 })
})

describe('a game that crashes in the night after', () => {
  const steps = savingSteps('anywhere', clover).map(({ what }, at) => [what, at + 1] as const)

  test.each(steps)('%s: what is backed up is whole, and the next night too', async (_what, made) => {
    const { farm, told, backups, notYet } = await inTheNight()
    const night = savingSteps(farm.saves, { ...clover, date: summer(6) })
    for (const { run } of night.slice(0, made)) run()
    told.become({ isOnline: false })
    const loaded = loadSave(farm.saves, name)?.date.day
    told.day(summer(loaded ?? 5))
    const isWhole = made === night.length
    // Once the folder is there and before the last rename, a temporary file lies in it.
    if (made > 1 && !isWhole) {
      await notYet()
      await expect(backups.port.makeBackup()).rejects.toMatchObject({ failure: { kind: 'save_in_progress' } })
    }
    if (isWhole) await eventually(async () => expect(await backups.days()).toEqual([6, 5]))
    else expect(await backups.days()).toEqual([5])
    told.night()
    for (const { run } of night) run()
    told.day(summer(6))
    await eventually(async () => expect(await backups.days()).toEqual([6, 5]))
  })
})

test('on a slow disk, where the day has begun before the save is whole, it is looked for every second and backed up once it is', async () => {
  const { farm, told, backups, notYet, clock } = await inTheNight()
  const steps = savingSteps(farm.saves, { ...clover, date: summer(6) })
  steps[0]?.run()
  steps[1]?.run()
  told.day(summer(6))
  for (const { run } of steps.slice(2)) {
    expect(await notYet()).toBe(1000)
    expect(await backups.days()).toEqual([5])
    run()
    clock.advance(1000)
  }
  await eventually(async () => expect(await backups.days()).toEqual([6, 5]))
})

describe('a save that is not whole is not backed up, by hand neither: 409 save_in_progress', () => {
  test.each<[string, (at: (file: string) => string) => void]>([
    ['the larger file is torn', (at) => truncateSync(at(name), 300)],
    ['SaveGameInfo is torn', (at) => truncateSync(at('SaveGameInfo'), 100)],
    ['a file is empty after a power cut', (at) => truncateSync(at(name), 0)],
    ['a file is full of zeros after a power cut', (at) => writeFileSync(at(name), Buffer.alloc(5000))],
    ['SaveGameInfo is missing', (at) => rmSync(at('SaveGameInfo'))],
    ['the larger file is missing', (at) => rmSync(at(name))],
    ['a temporary file lies beside it', (at) => writeFileSync(at(`${name}_STARDEWVALLEYSAVETMP`), '')],
    ['its files are of two days', (at) => writeFileSync(at(name), readFileSync(at(`${name}_old`)))],
  ])('%s', async (_what, damage) => {
    const { farm, told, backups, notYet } = await inTheNight()
    farm.save({ date: summer(6) })
    damage((file) => join(farm.saves, name, file))
    told.day(summer(6))
    expect(await notYet()).toBe(1000)
    await expect(backups.port.makeBackup()).rejects.toMatchObject({ failure: { kind: 'save_in_progress' } })
    expect(await backups.days()).toEqual([5])
    told.night()
    farm.save({ date: summer(7) })
    rmSync(join(farm.saves, name, `${name}_STARDEWVALLEYSAVETMP`), { force: true })
    told.day(summer(7))
    await eventually(async () => expect(await backups.days()).toEqual([7, 5]))
  })
})

test('a save that is not whole five minutes after the day began is told in the log once, and looked at again the next day', async () => {
  const { farm, told, backups, notYet, clock, log } = await inTheNight()
  rmSync(join(farm.saves, name, 'SaveGameInfo'))
  told.day(summer(6))
  for (let look = 1; look < 300; look += 1) {
    expect(await notYet()).toBe(1000)
    clock.advance(1000)
  }
  const warnings = () => log.filter(({ level }) => level === 'warn').map(({ message }) => message)
  await eventually(() => warnings().length > 0)
  clock.advance(3_600_000)
  farm.save({ date: summer(7) })
  told.night()
  told.day(summer(7))
  await eventually(async () => expect(await backups.days()).toEqual([7, 5]))
  expect(warnings()).toEqual(['the save is not whole five minutes after the day began: it is not backed up'])
})

test('a save that the game changes while it is put into the archive is no failure: it is read again', async () => {
  const { farm, told, log, clock, notYet, open } = watchedFarm()
  farm.save({ date: summer(5) })
  let asked = 0
  const backups = open({
    clock: {
      ...clock,
      /** Called for the first time once the save was read. */
      now() {
        asked += 1
        if (asked === 1) farm.save({ date: summer(6) })
        return clock.now()
      },
    },
  })
  told.day(summer(5))
  expect(await notYet()).toBe(1000)
  expect([await backups.days(), readdirSync(farm.folder), log]).toEqual([[], [], []])
  clock.advance(1000)
  await eventually(async () => expect(await backups.days()).toEqual([6]))
})

test('a save of 50 MB is backed up', async () => {
  const watched = watchedFarm()
  const backups = watched.open()
  watched.farm.save({ bytes: 50_000_000 })
  watched.told.day(summer(5))
  await eventually(async () => expect(await backups.days()).toEqual([5]))
  const [backup] = await backups.list()
  const { files } = await verifyArchive(join(watched.farm.folder, `${backup?.id}.zip`))
  expect(files.find(({ path }) => path === name)?.bytes).toBeGreaterThan(50_000_000)
})

describe('of several saves in one volume', () => {
  test('the farm that the game plays is backed up, whatever happens to another', async () => {
    const watched = watchedFarm()
    const { farm, told } = watched
    const backups = watched.open()
    const other = { farmName: 'Juniper', farmId: 987_654_321, date: summer(20) }
    farm.save()
    farm.save(other)
    // The other one is being written, and torn.
    savingSteps(farm.saves, { ...clover, ...other })[1]?.run()
    truncateSync(join(farm.saves, 'Juniper_987654321', 'SaveGameInfo'), 60)
    told.day(summer(5))
    await eventually(async () => expect(await backups.days()).toEqual([5]))
    expect(await backups.list()).toMatchObject([{ farmName: 'Clover' }])
    farm.save(other)
    told.become({ ...summer(20), farmName: 'Juniper' })
    await eventually(async () => expect(await backups.days()).toEqual([20, 5]))
  })

  test('of two of the same name the one that was written last is backed up', async () => {
    const watched = watchedFarm()
    const { farm, told } = watched
    const backups = watched.open()
    farm.save({ farmId: 2, date: summer(5) })
    farm.save({ farmId: 1, date: summer(20) })
    utimesSync(join(farm.saves, 'Clover_1', 'Clover_1'), 0, 0)
    told.day(summer(5))
    await eventually(async () => expect(await backups.days()).toEqual([5]))
  })
})

describe('a save that is renamed', () => {
  const renamed = 'Old farm_123456789'

  test('is found by the name of the farm in it', async () => {
    const { farm, told, backups } = await inTheNight()
    rmSync(join(farm.saves, name), { recursive: true })
    farm.save({ date: summer(6) }, renamed)
    told.day(summer(6))
    await eventually(async () => expect(await backups.days()).toEqual([6, 5]))
    const [{ id } = { id: '' }] = await backups.list()
    expect((await verifyArchive(join(farm.folder, `${id}.zip`))).save).toBe(renamed)
  })

  test.each(['A farm_1', 'Zinnia_1'])('as %s has no second backup of the same day', async (other) => {
    const { farm, told, backups } = await inTheNight()
    rmSync(join(farm.saves, name), { recursive: true })
    farm.save({ date: summer(5) }, other)
    told.day(summer(5))
    await backups.close()
    expect(await backups.days()).toEqual([5])
  })
})

describe('no second backup is made of the same content', () => {
  test('when the day is told again, and the game was away', async () => {
    const { told, backups } = await inTheNight()
    told.become({ isOnline: false })
    told.day(summer(5))
    await backups.close()
    expect(await backups.days()).toEqual([5])
  })

  test.each([
    ['', 'kept'],
    [', whose index was lost', 'lost'],
  ])('after a restart of farmgate%s', async (_what, index) => {
    const { farm, told, backups, open } = await inTheNight()
    await backups.close()
    if (index === 'lost') rmSync(join(farm.folder, 'index.json'))
    const next = open()
    told.day(summer(5))
    await next.close()
    expect(await next.days()).toEqual([5])
  })

  test('unless the one that is there cannot be read back', async () => {
    const { farm, told, backups, clock, open } = await inTheNight()
    await backups.close()
    const [{ id } = { id: '' }] = await backups.list()
    const path = join(farm.folder, `${id}.zip`)
    const bytes = readFileSync(path)
    bytes[100] = (bytes[100] ?? 0) ^ 0xff
    writeFileSync(path, bytes)
    rmSync(join(farm.folder, 'index.json'))
    clock.advance(60_000)
    const next = open()
    told.day(summer(5))
    await next.close()
    expect((await next.list()).map(({ verifiedAt }) => verifiedAt !== undefined)).toEqual([true, false])
  })
})

describe('no backup is made of a day that nobody played', () => {
  test('and the next one that somebody plays has one', async () => {
    const { farm, told, backups } = await inTheNight()
    farm.save({ date: summer(6) })
    told.day(summer(6), 0)
    await eventually(async () => expect(await backups.days()).toEqual([6, 5]))
    for (const day of [7, 8]) {
      told.night()
      farm.save({ date: summer(day) })
      told.day(summer(day), 0)
      // One by hand comes after the look that is under way.
      const { id } = await backups.port.makeBackup()
      await backups.port.removeBackup(id)
    }
    expect(await backups.days()).toEqual([6, 5])
    told.become({ playerCount: 1 })
    told.become({ playerCount: 0 })
    told.night()
    farm.save({ date: summer(9) })
    told.day(summer(9), 0)
    await eventually(async () => expect(await backups.days()).toEqual([9, 6, 5]))
  })

  test('but who played before farmgate started is not known: the first whole save has one', async () => {
    const watched = watchedFarm()
    watched.farm.save()
    watched.told.day(summer(5), 0)
    const backups = watched.open()
    await eventually(async () => expect(await backups.days()).toEqual([5]))
  })
})
