/** A restore by `npm run serve` that is killed halfway. */
import { readdirSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { loadSave } from '../../../bridges/simulated/save-files.ts'
import { folderLockFile } from '../../../lib/shared-folder/folder-lock.ts'
import { savedFarm } from '../../backups/saved-farm.ts'
import { startGameServer } from '../../game-server/game-server.ts'
import { name, summer } from '../../services/backups/loading-game.ts'
import { eventually } from '../../wait.ts'
import { serving } from './farmgate-process.ts'

const key = 'restore-restore-restore'
const headers = { Authorization: `Bearer ${key}` }

/** A farm at day 9 with a backup of day 5, and a game that loads the save on the disk. */
async function setUp() {
  const saved = savedFarm()
  onTestFinished(saved.remove)
  const game = await startGameServer({ snapshotEvery: 20 })
  onTestFinished(() => game.stop())
  const day = () => loadSave(saved.saves, name)?.date.day
  game.world.onReload = () => {
    const loaded = loadSave(saved.saves, name)
    game.world.isLoaded = loaded !== undefined
    Object.assign(game.world, loaded && { farmName: loaded.farmName, ...loaded.date })
  }
  const start = () =>
    serving({ API_KEY: key, GAME_API_URL: game.url, SAVES_DIR: saved.savesDir, BACKUP_DIR: saved.folder })
  const ask = async (
    url: string,
    method: string,
    path: string,
  ): Promise<[number, Record<string, unknown>]> => {
    const response = await fetch(url + path, { method, headers })
    return [response.status, Object(await response.json())]
  }
  saved.save(summer(5))
  game.world.onReload()
  game.world.publish()
  const farmgate = await start()
  const [, made] = await eventually(async () => {
    const answer = await ask(farmgate.url, 'POST', '/backups')
    // farmgate may have backed the day up already.
    expect([200, 201]).toContain(answer[0])
    return answer
  })
  saved.save(summer(9))
  game.world.onReload()
  game.world.publish()
  const restore = (url: string) => ask(url, 'POST', `/backups/restore?id=${made['id']}`)
  return { saved, game, farmgate, start, restore, day }
}

test('a farmgate that is killed while the game loads: its next start restores the old save, says so, and can restore again', async () => {
  const { saved, game, farmgate, start, restore, day } = await setUp()
  game.faults.set({ kind: 'silent' }, 'POST /reload')
  const lost = restore(farmgate.url).catch(() => 'lost')
  await eventually(() => expect(game.world.reloads).toBe(1))
  expect([day(), game.world.day]).toEqual([5, 5])
  farmgate.signal('SIGKILL')
  expect(await lost).toBe('lost')
  game.faults.clear()
  const next = await start()
  await next.said(/a restore was interrupted and is undone: the save is as before it/)
  await eventually(() => expect([day(), readdirSync(saved.saves)]).toEqual([9, [folderLockFile, name]]))
  expect(await restore(next.url)).toMatchObject([200, { success: true }])
  expect([day(), game.world.day, readdirSync(saved.saves)]).toEqual([5, 5, [folderLockFile, name]])
})
