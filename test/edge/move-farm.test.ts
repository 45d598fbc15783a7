/** "Move a farm" of docs/hosting.md, with a separate process of farmgate for each machine. */

import { mkdirSync, readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { loadSave } from '../../bridges/simulated/save-files.ts'
import { version } from '../../lib/version.ts'
import { savedFarm } from '../backups/saved-farm.ts'
import { run } from '../cli/farmgate.ts'
import { startGameServer } from '../game-server/game-server.ts'
import { newFolder } from '../new-folder.ts'
import { portOf } from '../port-of.ts'
import { serving } from '../runtime/node/farmgate-process.ts'
import { name, summer } from '../services/backups/loading-game.ts'
import { eventually } from '../wait.ts'
import { startEdge } from './edge.ts'
import { fleetKey } from './edge-server.ts'

/** A machine with a game server that plays the save on its disk. */
async function machine(link: Readonly<Record<string, string>>) {
  const saved = savedFarm()
  onTestFinished(saved.remove)
  const game = await startGameServer({ snapshotEvery: 20 })
  onTestFinished(() => game.stop())
  const dataDir = newFolder()
  const ticketService = createServer((_request, response) =>
    response.end('{"status":"ok","logged_in":true,"token_days_remaining":9}'),
  )
  const port = await portOf(ticketService)
  return {
    ...saved,
    dataDir,
    load() {
      const loaded = loadSave(saved.saves, name)
      game.world.isLoaded = loaded !== undefined
      Object.assign(game.world, loaded && { farmName: loaded.farmName, ...loaded.date })
      game.world.publish()
    },
    start: () =>
      serving({
        API_KEY: 'a-key-of-the-machine-itself',
        GAME_API_URL: game.url,
        SAVES_DIR: saved.savesDir,
        BACKUP_DIR: saved.folder,
        DATA_DIR: dataDir,
        PLATFORM_AUTH_URL: `http://127.0.0.1:${port}`,
        ...link,
      }),
  }
}

test('a farm moves to another machine: its address, its keys, its save and its records stay', async () => {
  const edge = await startEdge(inject('edgeBundle'), { FLEET_KEY: fleetKey, RATE_LIMIT_WRITES: '0' })
  onTestFinished(() => edge.stop())
  const url = `${edge.url}/farms/clover`
  const made = await fetch(url, { method: 'PUT', headers: { Authorization: `Bearer ${fleetKey}` } })
  const { apiKey, linkKey } = (await made.json()) as { apiKey: string; linkKey: string }
  const ask = (path: string, key: string, method = 'GET', body?: object) =>
    fetch(url + path, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  const json = async (answer: Response) => (await answer.json()) as Record<string, unknown>
  const isOnline = () =>
    eventually(async () => expect(await json(await ask('/status', apiKey))).toMatchObject({ isOnline: true }))
  const link = { EDGE_URL: url, EDGE_LINK_KEY: linkKey }

  const old = await machine(link)
  old.save(summer(5))
  old.load()
  const before = await old.start()
  await isOnline()
  const key = await json(await ask('/keys', apiKey, 'POST', { name: 'a bot', scopes: ['read'] }))
  before.signal('SIGTERM')
  await before.exited
  const file = join(newFolder(), 'clover.farm')
  const moved = (command: string, { savesDir, dataDir }: typeof old, ...options: readonly string[]) =>
    run([command, file, ...options], { SAVES_DIR: savesDir, DATA_DIR: dataDir }, 'a long passphrase\n')
  expect(await moved('export', old)).toMatchObject({ code: 0 })

  const next = await machine(link)
  mkdirSync(next.savesDir, { recursive: true })
  expect(await moved('import', next, '--with-keys')).toMatchObject({ code: 0 })
  next.load()
  await next.start()
  await isOnline()

  expect(readdirSync(next.saves)).toContain(name)
  expect(await json(await ask('/status', apiKey))).toMatchObject({ season: 'summer', day: 5 })
  expect((await ask('/players', String(key['key']))).status).toBe(200)
  expect((await json(await ask('/audit?action=createKey', apiKey)))['entries']).toHaveLength(1)
  const farms = await fetch(`${edge.url}/farms`, { headers: { Authorization: `Bearer ${fleetKey}` } })
  expect(await farms.json()).toMatchObject({
    farms: [
      {
        farm: 'clover',
        linked: true,
        farmgateVersion: version,
        tokenDays: 9,
        trouble: expect.arrayContaining(['token_expiring']),
      },
    ],
  })
})
