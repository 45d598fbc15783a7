/** Backups are read again: before each is copied off-site, and every week. */

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { damage } from '../../backups/damaged-backup.ts'
import { backupsOf, clover, savedFarm } from '../../backups/saved-farm.ts'
import { manualClock } from '../../bridges/manual-clock.ts'
import { eventually } from '../../wait.ts'
import { aNotifiedFarm } from '../webhooks/a-notified-farm.ts'
import { aGame } from './a-game.ts'
import { copiedFarms, states } from './copied-farm.ts'
import { summer, watchedFarm } from './watched-farm.ts'

const aFarm = await copiedFarms()

const day = 86_400_000

test('a flipped bit is found within a week: the backup is no longer verified, and log and webhook report it once', async () => {
  const reasons: string[] = []
  const { farm, controls, clock, log, open } = watchedFarm({
    onFailed: (reason) => void reasons.push(reason),
  })
  const backups = open()
  farm.save()
  controls.day(summer(5))
  await eventually(async () => expect(await backups.days()).toEqual([5]))
  const [made] = await backups.list()
  const id = made?.id ?? ''
  damage(farm.folder, id)
  for (let passed = 0; passed < 6; passed += 1) clock.advance(day)
  expect((await backups.list())[0]?.verifiedAt).toBe(made?.verifiedAt)
  await eventually(async () => {
    clock.advance(day)
    expect((await backups.list()).map((one) => [one.id, one.verifiedAt])).toEqual([[id, undefined]])
  })
  clock.advance(day)
  await backups.close()
  expect(reasons).toEqual([`the backup ${id} is damaged`])
  expect(log.filter(({ level }) => level === 'warn')).toMatchObject([
    { message: 'a backup is damaged: it cannot be restored', fields: { id } },
  ])
})

test('a valid backup is verified again every week, and keeps its age', async () => {
  const { farm, clock, open } = watchedFarm()
  const backups = open()
  farm.save()
  const { verifiedAt, madeAt } = await backups.port.makeBackup()
  await eventually(async () => {
    clock.advance(8 * day)
    expect((await backups.list())[0]?.verifiedAt).not.toBe(verifiedAt)
  })
  expect((await backups.port.backups()).state.lastVerifiedAt).toBe(madeAt)
})

test('a damaged archive is not copied off-site, and the alarm is raised', async () => {
  const { open, place, saved, objects } = aFarm()
  const reasons: string[] = []
  const before = open({ ...place, store: { ...place.store, write: () => Promise.reject(new Error('no')) } })
  const { id } = await before.port.makeBackup()
  await before.close()
  damage(saved.folder, id)
  saved.saveAgain()
  const next = open(place, {
    clock: manualClock(Date.now()),
    onFailed: (reason) => void reasons.push(reason),
  })
  await next.port.makeBackup()
  await eventually(async () =>
    expect(await states(next)).toEqual(['done', expect.not.stringMatching('done')]),
  )
  expect(objects()).not.toContain(`${id}.zip`)
  expect(reasons).toEqual([`the backup ${id} is damaged`])
})

test('the first failing backup is reported once, and the next one only after a successful one in between', async () => {
  const farm = savedFarm()
  onTestFinished(farm.remove)
  const reported = aNotifiedFarm()
  const { id } = await reported.listen('http://127.0.0.1:1/', { events: ['backup.failed'] })
  const game = aGame()
  const backups = backupsOf(farm, game.game, {
    onFailed: (reason) => reported.webhooks.notify('backup.failed', { reason }),
  })
  onTestFinished(backups.close)
  farm.save()
  game.day(clover.date)
  const make = () => backups.port.makeBackup()
  const report = async (times: number) =>
    expect(
      (await reported.eventuallyDeliveries(id, (all) => all.length === times)).map(({ event }) => event),
    ).toEqual(Array.from({ length: times }, () => 'backup.failed'))
  // A file where the folder of the backups belongs.
  writeFileSync(farm.folder, '')
  await expect(make()).rejects.toThrow()
  await expect(make()).rejects.toThrow()
  await report(1)
  rmSync(farm.folder)
  mkdirSync(farm.folder)
  await make()
  rmSync(farm.folder, { recursive: true })
  writeFileSync(farm.folder, '')
  farm.save({ date: { ...clover.date, day: clover.date.day + 1 } })
  await expect(make()).rejects.toThrow()
  await report(2)
})
