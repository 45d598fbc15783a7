/** Manual backups: their number, and their use of the disk. */
import { readdirSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { backupsOf, savedFarm } from '../../backups/saved-farm.ts'
import { eventually } from '../../wait.ts'
import { game } from './clover.ts'
import { atDay9, started } from './loading-game.ts'
import { summer, watchedFarm } from './watched-farm.ts'

test('sixty manual backups of an unchanged save are one archive, which each of them returns', async () => {
  const farm = savedFarm()
  farm.save()
  const backups = backupsOf(farm, game)
  onTestFinished(async () => {
    await backups.close()
    farm.remove()
  })
  const all = await Promise.all(Array.from({ length: 60 }, () => backups.port.makeBackup()))
  expect(new Set(all.map(({ id }) => id)).size).toBe(1)
  expect(all.map(({ created }) => created)).toEqual([true, ...Array.from({ length: 59 }, () => false)])
  expect(readdirSync(farm.folder).filter((name) => name.endsWith('.zip'))).toHaveLength(1)
})

test('a manual backup of a day with a backup returns that of the day', async () => {
  const { farm, controls, open } = watchedFarm()
  const backups = open()
  farm.save()
  controls.day(summer(5))
  await eventually(async () => expect(await backups.days()).toEqual([5]))
  const [ofDay] = await backups.list()
  expect(await backups.port.makeBackup()).toEqual({ ...ofDay, created: false })
})

test('of manual backups of one game day five are kept, whatever changes in the save', async () => {
  const { farm, clock, open } = watchedFarm()
  const backups = open()
  const ids: string[] = []
  for (let made = 0; made < 8; made += 1) {
    farm.saveAgain()
    clock.advance(1000)
    ids.push((await backups.port.makeBackup()).id)
  }
  expect((await backups.list()).map(({ id }) => id)).toEqual(ids.slice(-5).reverse())
})

test('on a disk with only its reserve of free space no backup is made, manually or after a day; a webhook reports it, and the next one with free space ends it', async () => {
  const reasons: string[] = []
  let free = 0
  const { farm, controls, open, log, notYet, clock } = watchedFarm({
    room: async () => free,
    onFailed: (reason) => void reasons.push(reason),
  })
  const backups = open()
  farm.save()
  await expect(backups.port.makeBackup()).rejects.toMatchObject({ failure: { kind: 'disk_low' } })
  controls.day(summer(5))
  expect(await notYet()).toBe(60_000)
  expect({ days: await backups.days(), reasons, isFailing: backups.isFailing() }).toEqual({
    days: [],
    reasons: ['disk_low'],
    isFailing: true,
  })
  expect(log.filter(({ level }) => level === 'error')).toHaveLength(1)
  free = 1
  clock.advance(60_000)
  await eventually(async () => expect(await backups.days()).toEqual([5]))
  await eventually(() => expect(backups.isFailing()).toBe(false))
})

test('the copy before a restore can use the reserve of free space', async () => {
  const saved = savedFarm()
  onTestFinished(saved.remove)
  const { id, close: end } = await atDay9(saved)
  await end()
  const { port, close } = started(saved, [], { room: async () => 0 })
  onTestFinished(close)
  expect((await port.restoreBackup(id, false))?.safetyBackup).toBeDefined()
  expect((await port.backups()).backups.map(({ reason }) => reason)).toEqual(['before_restore', 'manual'])
})
