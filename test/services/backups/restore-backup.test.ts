/** The effects of a restore, and its refusals before anything is changed. */
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { verifyArchive } from '../../../services/backups/read-archive.ts'
import { craftedZip } from '../../backups/crafted-zip.ts'
import { backupsOf } from '../../backups/saved-farm.ts'
import { farmToRestore } from './farm-to-restore.ts'
import { name, started } from './loading-game.ts'

let farm: ReturnType<typeof farmToRestore>
beforeEach(() => {
  farm = farmToRestore()
})

test('a restore replaces the save with the whole save of the backup, and the game plays its day', async () => {
  const { id, port, game, close } = await farm.atDay9()
  const restored = await port.restoreBackup(id, false)
  expect(restored?.message).toBe(
    'Clover, summer 5, year 1, is restored; 4 game days of the farm and what was done today are lost',
  )
  expect([farm.day(), (await game.bridge.status()).day, game.loads]).toEqual([5, 5, 1])
  expect(readdirSync(farm.saved.saves)).toEqual([name])
  const { backups } = await port.backups()
  expect(backups[0]).toMatchObject({ id: restored?.safetyBackup, reason: 'before_restore', day: 9 })
  const back = await port.restoreBackup(restored?.safetyBackup ?? '', false)
  expect([back?.message, farm.day()]).toEqual([expect.stringContaining('ahead'), 9])
  await close()
})

test('the restored save has the rights of the old one, under any umask of farmgate', async () => {
  const { id, port, close } = await farm.atDay9()
  chmodSync(join(farm.saved.saves, name), 0o775)
  await port.restoreBackup(id, false)
  const mode = (...path: string[]) =>
    (statSync(join(farm.saved.saves, name, ...path)).mode & 0o777).toString(8)
  expect([mode(), mode(name), mode('SaveGameInfo')]).toEqual(['775', '664', '664'])
  await close()
})

test('a dry run shows what would be lost, and changes nothing', async () => {
  const { id, port, game, close } = await farm.atDay9()
  expect(await port.restoreBackup(id, true)).toEqual({
    message:
      'Clover, summer 5, year 1, would be restored; 4 game days of the farm and what was done today are lost',
  })
  expect([farm.day(), game.loads, (await port.backups()).backups.length]).toEqual([9, 0, 1])
  await close()
})

test('while a player is connected nothing is restored: players_connected', async () => {
  const { id, port, game, close } = await farm.atDay9()
  game.players = 1
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({
    failure: { kind: 'players_connected' },
  })
  expect((await port.restoreBackup(id, true))?.message).toContain('would be restored')
  expect([farm.day(), game.loads]).toEqual([9, 0])
  await close()
})

test('a damaged archive is refused, before anything is changed', async () => {
  const { id, port, game, close } = await farm.atDay9()
  const path = join(farm.saved.folder, `${id}.zip`)
  const bytes = readFileSync(path)
  bytes[100] = (bytes[100] ?? 0) ^ 0xff
  writeFileSync(path, bytes)
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({ failure: { kind: 'restore_refused' } })
  expect([farm.day(), game.loads, readdirSync(farm.saved.saves)]).toEqual([9, 0, [name]])
  await close()
})

test('a backup with wrong digests is refused by the dry run and by the restore, before anything is changed', async () => {
  const { id, port, game, close } = await farm.atDay9()
  const path = join(farm.saved.folder, `${id}.zip`)
  const manifest = await verifyArchive(path)
  const files = manifest.files.map((file) => ({
    name: `${name}/${file.path}`,
    content: readFileSync(join(farm.saved.saves, name, file.path)),
  }))
  const said = { name: 'farmgate-backup.json', content: JSON.stringify(manifest) }
  writeFileSync(path, craftedZip([...files, said]))
  for (const isDryRun of [true, false])
    await expect(port.restoreBackup(id, isDryRun)).rejects.toMatchObject({
      failure: { kind: 'restore_refused', sentence: expect.stringContaining('has another digest') },
    })
  expect([farm.day(), game.loads, readdirSync(farm.saved.saves)]).toEqual([9, 0, [name]])
  expect((await port.backups()).backups).toHaveLength(1)
  await close()
})

test('while the game saves nothing is restored: save_in_progress', async () => {
  const { id, port, game, close } = await farm.atDay9()
  game.isSaving = true
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({ failure: { kind: 'save_in_progress' } })
  expect([farm.day(), readdirSync(farm.saved.saves), (await port.backups()).backups.length]).toEqual([
    9,
    [name],
    1,
  ])
  await close()
})

test('a night that begins during the unpacking ends the restore, before anything is changed', async () => {
  const { id, port, game, close } = await farm.atDay9()
  const { players } = game.bridge
  let asked = 0
  game.bridge.players = () => {
    asked += 1
    game.isSaving = asked === 2
    return players()
  }
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({ failure: { kind: 'save_in_progress' } })
  expect([asked, farm.day(), game.loads, readdirSync(farm.saved.saves)]).toEqual([2, 9, 0, [name]])
  await close()
})

test('without mounted saves nothing is restored: unsupported', async () => {
  const { id, close } = await farm.atDay9()
  await close()
  const { game } = started(farm.saved, farm.log)
  const without = backupsOf({ ...farm.saved, savesDir: join(farm.saved.savesDir, 'nothing') }, game.bridge)
  await expect(without.port.restoreBackup(id, false)).rejects.toMatchObject({
    failure: { kind: 'unsupported', by: 'farmgate', what: expect.stringContaining('SAVES_DIR') },
  })
  await without.close()
})
