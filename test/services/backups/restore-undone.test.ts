/** Restores that the game or the disk does not confirm, and the leftovers of an interrupted restore. */
import { mkdirSync, readdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { FarmError } from '../../../handlers/farm-error.ts'
import { beforeEachDiskChange, noSpace } from '../../backups/disk-changes.ts'
import { farmToRestore, killedAfterLoad } from './farm-to-restore.ts'
import { name, started } from './loading-game.ts'

let farm: ReturnType<typeof farmToRestore>
beforeEach(() => {
  farm = farmToRestore()
})

test('when the game does not load the backup, the old save is put back and the game reloads it', async () => {
  const { id, port, game, close } = await farm.atDay9()
  game.canLoad = false
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({ failure: { kind: 'restore_undone' } })
  expect([farm.day(), game.loads, readdirSync(farm.saved.saves)]).toEqual([
    9,
    2,
    ['.farmgate-restore.json', name],
  ])
  await close()
})

test('when the game then plays another day, the old save is put back', async () => {
  const { id, port, game, close } = await farm.atDay9()
  game.bridge.reload = async () => 'World reloaded'
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({ failure: { kind: 'restore_undone' } })
  expect([farm.day(), readdirSync(farm.saved.saves)]).toEqual([9, [name]])
  await close()
})

test('when the game no longer answers after its reload, the old save is put back and the game reloads it', async () => {
  const { id, port, game, close } = await farm.atDay9()
  const { status } = game.bridge
  const { reload } = game.bridge
  game.bridge.reload = () => {
    game.bridge.status = () => Promise.reject(new FarmError({ kind: 'unavailable' }))
    return reload()
  }
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({ failure: { kind: 'restore_undone' } })
  game.bridge.status = status
  expect([(await status()).day, farm.day(), game.loads, readdirSync(farm.saved.saves)]).toEqual([
    9,
    9,
    2,
    ['.farmgate-restore.json', name],
  ])
  await close()
})

test("when the disk does not store the game's confirmation of the backup, the old save is put back", async () => {
  const { id, port, game, close } = await farm.atDay9()
  onTestFinished(
    beforeEachDiskChange(({ what, file }) => {
      if (game.loads === 1 && what === 'make' && file === '.farmgate-restore.json.new') throw noSpace()
    }),
  )
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({ failure: { kind: 'restore_undone' } })
  expect([(await game.bridge.status()).day, farm.day(), readdirSync(farm.saved.saves)]).toEqual([
    9,
    9,
    [name],
  ])
  await close()
})

test('when the old save cannot be removed the restored one stays, and the next restore removes the leftovers', async () => {
  const { id, port, close } = await farm.atDay9()
  let isPlaced = false
  const end = beforeEachDiskChange(({ what, file }) => {
    isPlaced ||= file === '.farmgate-restore-old'
    if (isPlaced && what === 'remove' && file === 'SaveGameInfo') throw noSpace()
  })
  onTestFinished(end)
  const restored = await port.restoreBackup(id, false)
  end()
  expect([farm.day(), JSON.stringify(farm.log)]).toEqual([
    5,
    expect.stringContaining('the save from before a restore could not be removed'),
  ])
  await port.restoreBackup(restored?.safetyBackup ?? '', false)
  expect([farm.day(), readdirSync(farm.saved.saves)]).toEqual([9, [name]])
  await close()
})

test('when the game then plays another farm, the old save is put back', async () => {
  const { id, port, game, close } = await farm.atDay9()
  const { status } = game.bridge
  game.bridge.status = async () => ({
    ...(await status()),
    farmName: game.loads === 1 ? 'Thistle' : 'Clover',
  })
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({
    failure: {
      kind: 'restore_undone',
      sentence:
        'The game plays another farm or day than that of the backup; the save from before is in its place again, and the game plays it',
    },
  })
  expect([farm.day(), (await status()).day, readdirSync(farm.saved.saves)]).toEqual([9, 9, [name]])
  await close()
})

test('a game that does not play the old save again after that is reported: restart the game', async () => {
  const { id, port, game, close } = await farm.atDay9()
  const { reload } = game.bridge
  game.bridge.reload = async () => {
    await reload()
    game.canLoad = false
    game.bridge.status = () => Promise.reject(new FarmError({ kind: 'unavailable' }))
    return 'World reloaded'
  }
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({
    failure: { sentence: expect.stringContaining('restart the game, which does not play it') },
  })
  expect([farm.day(), readdirSync(farm.saved.saves)]).toEqual([9, ['.farmgate-restore.json', name]])
  await close()
})

test('while an earlier save is set aside without its journal nothing is restored, and the log says so', async () => {
  const { id, port, close } = await farm.atDay9()
  const aside = join(farm.saved.saves, '.farmgate-restore-old')
  mkdirSync(aside)
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({
    failure: {
      kind: 'restore_refused',
      sentence:
        '.farmgate-restore-old is in the saves without its journal: move it out of the folder Saves; nothing was changed',
    },
  })
  expect([farm.day(), readdirSync(farm.saved.saves).sort()]).toEqual([9, ['.farmgate-restore-old', name]])
  expect(JSON.stringify(farm.log)).toContain('.farmgate-restore-old is in the saves without its journal')
  rmdirSync(aside)
  expect((await port.restoreBackup(id, false))?.message).toContain('is restored')
  await close()
})

test('a start after a kill logs how the restore ended', async () => {
  const { id, close } = await farm.atDay9()
  await close()
  await killedAfterLoad(farm.saved, id)
  expect(farm.day()).toBe(5)
  const next = started(farm.saved, farm.log)
  await next.close()
  expect([farm.day(), readdirSync(farm.saved.saves)]).toEqual([9, ['.farmgate-restore.json', name]])
  expect(JSON.stringify(farm.log)).toContain(
    'a restore was interrupted and is undone: the save is as before it',
  )
})
