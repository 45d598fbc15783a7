/** Webhooks that report failing backups (docs/notifications.md, `backup.failed`). */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { backupsOf, clover, savedFarm } from '../../backups/saved-farm.ts'
import { aNotifiedFarm } from '../webhooks/a-notified-farm.ts'
import { aGame } from './a-game.ts'

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
