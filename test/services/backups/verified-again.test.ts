/** Backups are read again: before each is copied off-site, and every week. */

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import threads from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { apart } from '../../../services/backups/archive-apart.ts'
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

test('a valid backup is not reported as damaged when farmgate has no file descriptor left to read it', async () => {
  const reasons: string[] = []
  const { farm, clock, log, open } = watchedFarm({ onFailed: (reason) => void reasons.push(reason) })
  const backups = open()
  farm.save()
  const { verifiedAt } = await backups.port.makeBackup()
  // A thread that waits for its next archive would read it.
  const held = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const holding = apart(() => {
    begun.resolve()
    return held.promise
  })
  await begun.promise
  const { Worker } = threads
  let refused = 0
  Object.assign(threads, {
    Worker: class {
      constructor() {
        refused += 1
        throw Object.assign(new Error('EMFILE: too many open files'), { code: 'ERR_WORKER_INIT_FAILED' })
      }
    },
  })
  syncBuiltinESMExports()
  onTestFinished(async () => {
    Object.assign(threads, { Worker })
    syncBuiltinESMExports()
    held.resolve()
    await holding
  })
  await eventually(() => {
    clock.advance(8 * day)
    expect(refused).toBeGreaterThan(0)
  })
  await backups.close()
  expect([reasons, log.filter(({ level }) => level === 'warn')]).toEqual([[], []])
  expect((await backups.list()).map((one) => one.verifiedAt)).toEqual([verifiedAt])
})

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

/** From now on the index of the backups cannot be written. @returns a function that ends it */
function unwritableIndex(folder: string): () => void {
  const inTheWay = join(folder, '.index.json.new')
  mkdirSync(inTheWay)
  return () => rmSync(inTheWay, { recursive: true })
}

test('a valid backup is not reported as damaged while BACKUP_DIR cannot be written, and is copied afterwards', async () => {
  const { open, place, saved, lines, objects } = aFarm()
  const before = open({ ...place, store: { ...place.store, write: () => Promise.reject(new Error('no')) } })
  const { id } = await before.port.makeBackup()
  await eventually(async () => expect(await states(before)).toEqual(['pending']))
  await before.close()
  const end = unwritableIndex(saved.folder)
  const reasons: string[] = []
  const clock = manualClock(Date.now())
  const next = open(place, { clock, onFailed: (reason) => void reasons.push(reason) })
  await eventually(() => expect(next.copies?.counts.failed).toBe(1))
  end()
  await eventually(() => {
    clock.advance(3_600_000)
    expect(objects()).toContain(`${id}.zip`)
  })
  expect(reasons).toEqual([])
  expect(lines.filter(({ message }) => message.includes('damaged'))).toEqual([])
})

test('a damaged archive is reported also while BACKUP_DIR cannot be written', async () => {
  const { open, place, saved, lines } = aFarm()
  const before = open({ ...place, store: { ...place.store, write: () => Promise.reject(new Error('no')) } })
  const { id } = await before.port.makeBackup()
  await eventually(async () => expect(await states(before)).toEqual(['pending']))
  await before.close()
  damage(saved.folder, id)
  onTestFinished(unwritableIndex(saved.folder))
  const reasons: string[] = []
  const next = open(place, { onFailed: (reason) => void reasons.push(reason) })
  await eventually(() => expect(reasons).toContain(`the backup ${id} is damaged`))
  await next.close()
  expect(lines.filter(({ message }) => message.includes('damaged'))).toMatchObject([
    { fields: { id, cause: expect.not.stringContaining('cannot be read') } },
  ])
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
