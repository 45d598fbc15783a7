/** Restores, with a game that loads the save from the disk. */
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { GameError } from '../../../handlers/game-error.ts'
import { loadSave } from '../../../runtime/bridges/simulated/save-files.ts'
import { backupsOf, type SavedFarm, savedFarm } from '../../backups/saved-farm.ts'
import type { LogLine } from '../../logs.ts'
import { name, atDay9 as playedOn, started, summer } from './loading-game.ts'

let saved: SavedFarm
let log: LogLine[]
beforeEach(() => {
  saved = savedFarm()
  log = []
  saved.save(summer(5))
})
afterEach(() => saved.remove())

const opened = () => started(saved, log)
const atDay9 = () => playedOn(saved, log)
const day = () => loadSave(saved.saves, name)?.date.day

test('a restore puts the whole save of the backup in its place, and the game plays its day', async () => {
  const { id, port, game, close } = await atDay9()
  const restored = await port.restoreBackup(id, false)
  expect(restored?.message).toBe(
    'Clover, summer 5, year 1, is restored; 4 game days of the farm and what was done today are lost',
  )
  expect([day(), (await game.bridge.status()).day, game.loads]).toEqual([5, 5, 1])
  expect(readdirSync(saved.saves)).toEqual([name])
  const { backups } = await port.backups()
  expect(backups[0]).toMatchObject({ id: restored?.safetyBackup, reason: 'before_restore', day: 9 })
  const back = await port.restoreBackup(restored?.safetyBackup ?? '', false)
  expect([back?.message, day()]).toEqual([expect.stringContaining('ahead'), 9])
  await close()
})

test('the restored save has the rights of the old one, whatever the umask of farmgate is', async () => {
  const { id, port, close } = await atDay9()
  chmodSync(join(saved.saves, name), 0o775)
  await port.restoreBackup(id, false)
  const mode = (...path: string[]) => (statSync(join(saved.saves, name, ...path)).mode & 0o777).toString(8)
  expect([mode(), mode(name), mode('SaveGameInfo')]).toEqual(['775', '664', '664'])
  await close()
})

test('a dry run says what would be lost, and changes nothing', async () => {
  const { id, port, game, close } = await atDay9()
  expect(await port.restoreBackup(id, true)).toEqual({
    message:
      'Clover, summer 5, year 1, would be restored; 4 game days of the farm and what was done today are lost',
  })
  expect([day(), game.loads, (await port.backups()).backups.length]).toEqual([9, 0, 1])
  await close()
})

test('while somebody is connected nothing is restored: players_connected', async () => {
  const { id, port, game, close } = await atDay9()
  game.players = 1
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({
    failure: { kind: 'players_connected' },
  })
  expect((await port.restoreBackup(id, true))?.message).toContain('would be restored')
  expect([day(), game.loads]).toEqual([9, 0])
  await close()
})

test('when the game does not load the backup, the old save is put back and the game told to load it', async () => {
  const { id, port, game, close } = await atDay9()
  game.canLoad = false
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({ failure: { kind: 'restore_undone' } })
  expect([day(), game.loads, readdirSync(saved.saves)]).toEqual([9, 2, [name]])
  await close()
})

test('when the game then plays another day, the old save is put back', async () => {
  const { id, port, game, close } = await atDay9()
  game.bridge.reload = async () => 'World reloaded'
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({ failure: { kind: 'restore_undone' } })
  expect([day(), readdirSync(saved.saves)]).toEqual([9, [name]])
  await close()
})

test('when the game no longer answers after its reload, the old save is put back and the game told to load it', async () => {
  const { id, port, game, close } = await atDay9()
  const { status } = game.bridge
  const { reload } = game.bridge
  game.bridge.reload = () => {
    game.bridge.status = () => Promise.reject(new GameError({ kind: 'unavailable' }))
    return reload()
  }
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({ failure: { kind: 'restore_undone' } })
  game.bridge.status = status
  expect([(await status()).day, day(), game.loads, readdirSync(saved.saves)]).toEqual([9, 9, 2, [name]])
  await close()
})

test('when the disk does not take that the game has confirmed the backup, the old save is put back', async () => {
  const { id, port, game, close } = await atDay9()
  const { reload } = game.bridge
  const obstacle = join(saved.saves, '.farmgate-restore.json.new')
  game.bridge.reload = () => {
    if (game.loads === 0) mkdirSync(obstacle)
    return reload()
  }
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({ failure: { kind: 'restore_undone' } })
  expect([(await game.bridge.status()).day, day(), readdirSync(saved.saves)]).toEqual([9, 9, [name]])
  await close()
})

test('when the old save cannot be removed the restored one stays, and the next restore removes what is left', async () => {
  const { id, port, game, close } = await atDay9()
  const { reload } = game.bridge
  // No path is long enough to name what lies at the end of these folders.
  const [upper, lower] = [join(saved.saves, '.upper'), join(saved.saves, '.lower')]
  const deep = Array.from({ length: 15 }, () => 'a'.repeat(200)).join('/')
  const aside = join(saved.saves, '.farmgate-restore-old', deep, 'lower')
  game.bridge.reload = () => {
    mkdirSync(join(lower, deep), { recursive: true })
    mkdirSync(join(upper, deep), { recursive: true })
    renameSync(lower, join(upper, deep, 'lower'))
    renameSync(join(upper, 'a'.repeat(200)), join(saved.saves, '.farmgate-restore-old', 'a'.repeat(200)))
    rmdirSync(upper)
    game.bridge.reload = reload
    return reload()
  }
  const restored = await port.restoreBackup(id, false)
  expect([day(), JSON.stringify(log)]).toEqual([
    5,
    expect.stringContaining('the save from before a restore could not be removed'),
  ])
  renameSync(aside, lower)
  rmSync(lower, { recursive: true })
  await port.restoreBackup(restored?.safetyBackup ?? '', false)
  expect([day(), readdirSync(saved.saves)]).toEqual([9, [name]])
  await close()
})

test('an archive that was damaged is refused, before anything is changed', async () => {
  const { id, port, game, close } = await atDay9()
  const path = join(saved.folder, `${id}.zip`)
  const bytes = readFileSync(path)
  bytes[100] = (bytes[100] ?? 0) ^ 0xff
  writeFileSync(path, bytes)
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({ failure: { kind: 'restore_refused' } })
  expect([day(), game.loads, readdirSync(saved.saves)]).toEqual([9, 0, [name]])
  await close()
})

test('a backup that does not exist is none', async () => {
  const { port, close } = opened()
  expect(await port.restoreBackup('nothing', false)).toBeUndefined()
  await close()
})

test('while the game saves nothing is restored: save_in_progress', async () => {
  const { id, port, game, close } = await atDay9()
  game.isSaving = true
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({ failure: { kind: 'save_in_progress' } })
  expect([day(), readdirSync(saved.saves), (await port.backups()).backups.length]).toEqual([9, [name], 1])
  await close()
})

test('a night that begins while the backup is unpacked ends the restore, before anything is changed', async () => {
  const { id, port, game, close } = await atDay9()
  const { players } = game.bridge
  let asked = 0
  game.bridge.players = () => {
    asked += 1
    game.isSaving = asked === 2
    return players()
  }
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({ failure: { kind: 'save_in_progress' } })
  expect([asked, day(), game.loads, readdirSync(saved.saves)]).toEqual([2, 9, 0, [name]])
  await close()
})

test('when the game then plays another farm, the old save is put back', async () => {
  const { id, port, game, close } = await atDay9()
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
  expect([day(), (await status()).day, readdirSync(saved.saves)]).toEqual([9, 9, [name]])
  await close()
})

test('a game that does not play the old save again after that is told of: restart the game', async () => {
  const { id, port, game, close } = await atDay9()
  const { reload } = game.bridge
  game.bridge.reload = async () => {
    await reload()
    game.canLoad = false
    game.bridge.status = () => Promise.reject(new GameError({ kind: 'unavailable' }))
    return 'World reloaded'
  }
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({
    failure: { sentence: expect.stringContaining('restart the game, which does not play it') },
  })
  expect([day(), readdirSync(saved.saves)]).toEqual([9, [name]])
  await close()
})

test('while a save from before lies aside without its journal nothing is restored, and the log says so', async () => {
  const { id, port, close } = await atDay9()
  const aside = join(saved.saves, '.farmgate-restore-old')
  mkdirSync(aside)
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({ failure: { kind: 'disk_failed' } })
  expect([day(), readdirSync(saved.saves).sort()]).toEqual([9, ['.farmgate-restore-old', name]])
  expect(JSON.stringify(log)).toContain('.farmgate-restore-old is there without its journal')
  rmdirSync(aside)
  expect((await port.restoreBackup(id, false))?.message).toContain('is restored')
  await close()
})

test('a start after a kill says in the log how the restore ended', async () => {
  const { id, port, game } = await atDay9()
  // The process is killed while the game loads.
  const { promise, resolve } = Promise.withResolvers<void>()
  game.bridge.reload = () => {
    resolve()
    return new Promise(() => {})
  }
  void port.restoreBackup(id, false)
  await promise
  expect(day()).toBe(5)
  const next = opened()
  await next.close()
  expect([day(), readdirSync(saved.saves)]).toEqual([9, [name]])
  expect(JSON.stringify(log)).toContain('a restore was interrupted and is undone: the save is as before it')
})

test('where no saves are mounted nothing is restored: unsupported', async () => {
  const { id, close } = await atDay9()
  await close()
  const { game } = opened()
  const without = backupsOf({ ...saved, savesDir: join(saved.savesDir, 'nothing') }, game.bridge)
  await expect(without.port.restoreBackup(id, false)).rejects.toMatchObject({
    failure: { kind: 'unsupported', what: expect.stringContaining('SAVES_DIR') },
  })
  await without.close()
})
