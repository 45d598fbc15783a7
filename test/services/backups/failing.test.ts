/** Webhooks that report failing backups (docs/notifications.md, `backup.failed`). */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { backupsOf, clover, savedFarm } from '../../backups/saved-farm.ts'
import { aToldFarm } from '../webhooks/a-told-farm.ts'
import { aGame } from './a-game.ts'

test('the first failing backup is reported once, and the next one only after a successful one in between', async () => {
  const farm = savedFarm()
  onTestFinished(farm.remove)
  const told = aToldFarm()
  const { id } = await told.listen('http://127.0.0.1:1/', { events: ['backup.failed'] })
  const game = aGame()
  const backups = backupsOf(farm, game.game, {
    onFailed: (reason) => told.webhooks.notify('backup.failed', { reason }),
  })
  onTestFinished(backups.close)
  farm.save()
  game.day(clover.date)
  const make = () => backups.port.makeBackup()
  const tell = async (times: number) =>
    expect(
      (await told.eventuallyDeliveries(id, (all) => all.length === times)).map(({ event }) => event),
    ).toEqual(Array.from({ length: times }, () => 'backup.failed'))
  // A file where the folder of the backups belongs.
  writeFileSync(farm.folder, '')
  await expect(make()).rejects.toThrow()
  await expect(make()).rejects.toThrow()
  await tell(1)
  rmSync(farm.folder)
  mkdirSync(farm.folder)
  await make()
  rmSync(farm.folder, { recursive: true })
  writeFileSync(farm.folder, '')
  farm.save({ date: { ...clover.date, day: clover.date.day + 1 } })
  await expect(make()).rejects.toThrow()
  await tell(2)
})
