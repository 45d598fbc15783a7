/** Days without a backup, or with that of another day (docs/backups.md, "When one is made"). */
import fs, { mkdirSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { savingSteps } from '../../../bridges/simulated/save-files.ts'
import { heldByArchive } from '../../../services/archives/allowed-entries.ts'
import { clover } from '../../backups/saved-farm.ts'
import { eventually } from '../../wait.ts'
import { inTheNight, name, summer, watchedFarm } from './watched-farm.ts'

test('a save that appears some seconds late, as over a network, is backed up when it is of the played day', async () => {
  const { farm, controls, backups, notYet, clock } = await inTheNight()
  controls.day(summer(6))
  for (let look = 0; look < 3; look += 1) {
    expect(await notYet()).toBe(1000)
    clock.advance(1000)
  }
  expect(await backups.days()).toEqual([5])
  farm.save({ date: summer(6) })
  await eventually(async () => {
    clock.advance(1000)
    expect(await backups.days()).toEqual([6, 5])
  })
})

test('polling alone finds a new save on a file system that reports no changes, such as NFS', async () => {
  const silent = () => {
    throw new Error('this file system reports no changes')
  }
  const { watch, watchFile, promises } = fs
  const watchPromise = promises.watch
  Object.assign(fs, { watch: silent, watchFile: silent })
  Object.assign(promises, { watch: silent })
  syncBuiltinESMExports()
  onTestFinished(() => {
    Object.assign(fs, { watch, watchFile })
    Object.assign(promises, { watch: watchPromise })
    syncBuiltinESMExports()
  })
  const { farm, controls, open, notYet, clock } = watchedFarm()
  const backups = open()
  controls.day(summer(5))
  expect(await notYet()).toBe(1000)
  farm.save({ date: summer(5) })
  await eventually(async () => {
    clock.advance(1000)
    expect(await backups.days()).toEqual([5])
  })
})

test('a day whose save is incomplete for five minutes counts as a failed backup, in webhook, metric and one line of the log; the next day is checked again', async () => {
  const reasons: string[] = []
  const watched = await inTheNight(watchedFarm({ onFailed: (reason) => void reasons.push(reason) }))
  const { farm, controls, backups, notYet, clock, log } = watched
  for (const { run } of savingSteps(farm.saves, { ...clover, date: summer(6) }).slice(0, 3)) run()
  controls.day(summer(6))
  for (let look = 1; look < 300; look += 1) {
    expect(await notYet()).toBe(1000)
    clock.advance(1000)
  }
  const reason = 'the save is not whole, or of another day, five minutes after the day began'
  await eventually(() => expect(reasons).toEqual([reason]))
  expect({ failed: backups.counts.failed, isFailing: backups.isFailing() }).toEqual({
    failed: 1,
    isFailing: true,
  })
  clock.advance(3_600_000)
  farm.save({ date: summer(7) })
  controls.night()
  controls.day(summer(7))
  await eventually(async () => expect(await backups.days()).toEqual([7, 5]))
  expect(log.filter(({ level }) => level === 'error')).toMatchObject([
    { message: 'the save could not be backed up', fields: { cause: reason } },
  ])
})

test('a running game that never reports the begin of a day counts as a failed backup after a quarter of an hour', async () => {
  const reasons: string[] = []
  const { farm, controls, open, clock } = watchedFarm({ onFailed: (reason) => void reasons.push(reason) })
  const backups = open()
  farm.save()
  controls.become({ isOnline: true, farmName: 'Clover', dayTransitionComplete: false, playerCount: 1 })
  clock.advance(14 * 60_000)
  expect(reasons).toEqual([])
  clock.advance(60_000)
  expect(reasons).toEqual(['the game has not reported a day for 15 minutes'])
  expect((await backups.port.backups()).state).toMatchObject({ failing: 'no_day' })
  controls.day(summer(5))
  await eventually(async () => expect(await backups.days()).toEqual([5]))
  await eventually(() => expect(backups.isFailing()).toBe(false))
  expect((await backups.port.backups()).state).not.toHaveProperty('failing')
})

test('files that a zip cannot hold are left out with a warning, and stop no backup', async () => {
  const { farm, controls, open, log } = watchedFarm()
  const backups = open()
  farm.save()
  const at = (file: string | Buffer) =>
    Buffer.concat([Buffer.from(`${join(farm.saves, name)}/`), Buffer.from(file)])
  const stray = ['savegameinfo', 'a\\b', 'a\tb', Buffer.from([0xff, 0xfe, 0x41])]
  for (const file of stray) writeFileSync(at(file), 'stray')
  // A temporary file of an earlier name of the save is an ordinary file.
  writeFileSync(at('Old_1_STARDEWVALLEYSAVETMP'), 'stray')
  mkdirSync(at('Mods'))
  for (const file of ['caf\u00e9', 'cafe\u0301']) writeFileSync(at(`Mods/${file}`), 'stray')
  controls.day(summer(5))
  await eventually(async () => expect(await backups.days()).toEqual([5]))
  await eventually(() =>
    expect(log.filter(({ level }) => level === 'warn')).toMatchObject([
      {
        message: 'the backup leaves out files that farmgate cannot read or an archive cannot hold',
        fields: { count: 5, files: expect.arrayContaining(['savegameinfo', 'a\\b', 'a\tb']) },
      },
    ]),
  )
})

test('an archive has the first files up to its limit, and leaves out the others', () => {
  const files = Array.from({ length: 10_100 }, (_file, at) => ({ path: `a${at}`, size: 1 }))
  const { held, leftOut } = heldByArchive(name, files)
  expect([held, leftOut.length]).toEqual([files.slice(0, 9_999), 101])
})
