/** When a backup is made (docs/backups.md, "When one is made"). */
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadSave, savingSteps } from '../../../bridges/simulated/save-files.ts'
import { verifyArchive } from '../../../services/backups/read-archive.ts'
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

test('a save that is incomplete five minutes after the day began is logged once, and checked again the next day', async () => {
  const { farm, controls, backups, notYet, clock, log } = await inTheNight()
  rmSync(join(farm.saves, name, 'SaveGameInfo'))
  controls.day(summer(6))
  for (let look = 1; look < 300; look += 1) {
    expect(await notYet()).toBe(1000)
    clock.advance(1000)
  }
  const warnings = () => log.filter(({ level }) => level === 'error').map(({ message }) => message)
  await eventually(() => warnings().length > 0)
  clock.advance(3_600_000)
  farm.save({ date: summer(7) })
  controls.night()
  controls.day(summer(7))
  await eventually(async () => expect(await backups.days()).toEqual([7, 5]))
  expect(warnings()).toEqual(['the save could not be backed up'])
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

test('a save of 50 MB is backed up', async () => {
  const watched = watchedFarm()
  const backups = watched.open()
  watched.farm.save({ bytes: 50_000_000 })
  watched.controls.day(summer(5))
  await eventually(async () => expect(await backups.days()).toEqual([5]))
  const [backup] = await backups.list()
  const { files } = await verifyArchive(join(watched.farm.folder, `${backup?.id}.zip`))
  expect(files.find(({ path }) => path === name)?.bytes).toBeGreaterThan(50_000_000)
})
