/** Schedules of a real process that is killed. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { seededRandom } from '../../../bridges/simulated/random.ts'
import { databaseFile } from '../../../services/records/database.ts'
import { startGameServer } from '../../game-server/game-server.ts'
import { newFolder } from '../../new-folder.ts'
import { eventually, pause } from '../../wait.ts'
import { serving } from './farmgate-process.ts'
import { openedFarm } from './open-farm.ts'
import { scrape } from './scrape.ts'

const key = 'schedules-schedules-schedules'
const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
const interrupted = 'farmgate stopped during this run; whether the action was made is unknown'

interface Shown {
  readonly last?: { readonly outcome: string; readonly detail?: string }
}

/** A game, and a schedule of its farmgate that is not due yet. */
async function aSchedule() {
  const game = await startGameServer()
  onTestFinished(() => game.stop())
  const folder = join(newFolder(), 'data')
  const env = { API_KEY: key, DATA_DIR: folder, GAME_API_URL: game.url }
  const ask = async (url: string, init: RequestInit = {}) =>
    (await fetch(`${url}/schedules`, { headers, ...init })).json() as Promise<{ schedules: Shown[] }>
  const first = await openedFarm(env)
  const request = {
    name: 'Display',
    cron: '0 5 1 1 *',
    do: { action: 'rendering', fps: 7 },
  }
  await ask(first.url, { method: 'POST', body: JSON.stringify(request) })
  await first.stop()
  return {
    game,
    /** In this process. */
    open: () => openedFarm(env),
    /** As a process that can be killed. */
    start: () => serving(env),
    shown: async (url: string) => (await ask(url)).schedules[0],
    /** As if farmgate had been down at its time. */
    due(minutesAgo: number) {
      const db = new DatabaseSync(join(folder, databaseFile))
      const dueAt = Date.now() - minutesAgo * 60_000
      db.prepare("UPDATE schedules SET data = json_set(data, '$.dueAt', ?)").run(dueAt)
      db.close()
    },
    runs: () => game.count('POST /rendering'),
  }
}

test('a run that is interrupted by a kill of farmgate is not repeated: its outcome is unknown, and the schedule says so', async () => {
  const { game, start, open, due, runs, shown } = await aSchedule()
  game.faults.set({ kind: 'silent' }, 'POST /rendering')
  due(1)
  const killed = await start()
  await eventually(() => runs() === 1)
  const newest = async (url: string) => {
    const { entries } = (await (await fetch(`${url}/audit`, { headers })).json()) as { entries: object[] }
    return entries[0]
  }
  const row = { action: 'setRendering', origin: 'schedule', outcome: 'unknown' }
  await eventually(async () => expect(await newest(killed.url)).toMatchObject(row))
  killed.signal('SIGKILL')
  await killed.exited
  game.faults.clear()
  const { url, stop } = await open()
  expect((await shown(url))?.last).toMatchObject({ outcome: 'failed', detail: interrupted })
  expect(await newest(url)).toMatchObject(row)
  await stop()
  expect(runs()).toBe(1)
})

test('kill -9 at random moments around a run: it is never made twice, and one that was not made is not reported as made', async () => {
  const { start, open, due, runs, shown } = await aSchedule()
  const random = seededRandom('schedules and kill -9')
  for (let round = 0; round < 6; round += 1) {
    const before = runs()
    due(1)
    const killed = await start()
    await pause(random.whole(0, 1300))
    killed.signal('SIGKILL')
    await killed.exited
    const made = runs() - before
    const { url, stop } = await open()
    const last = await eventually(async () => (await shown(url))?.last ?? expect.fail('it has not run'))
    // An unstarted run is late and made now.
    if (made === 0 && last.detail !== interrupted) await eventually(() => runs() - before === 1)
    await stop()
    expect(runs() - before).toBeLessThanOrEqual(1)
    if (last.outcome === 'succeeded') expect(runs() - before).toBe(1)
  }
})

test('a scheduled restart is an operation of its maker, counted as a restart by a schedule', async () => {
  const game = await startGameServer()
  onTestFinished(() => game.stop())
  const file = join(newFolder(), 'running')
  writeFileSync(file, '')
  const { url } = await openedFarm({
    API_KEY: key,
    GAME_API_URL: game.url,
    GAME_HOST: 'command',
    GAME_START: JSON.stringify(['touch', file]),
    GAME_STOP: JSON.stringify(['rm', file]),
    GAME_RUNNING: JSON.stringify(['test', '-e', file]),
  })
  const ask = async (path: string, body?: object): Promise<unknown> => {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    return (await fetch(`${url}${path}`, { headers, ...init })).json()
  }
  const restart = { name: 'Nightly', cron: '0 5 * * *', warnMinutes: [], do: { action: 'restart' } }
  const { id } = (await ask('/schedules', restart)) as { readonly id: string }
  expect(await ask(`/schedules/run?id=${id}`, {})).toMatchObject({
    last: { outcome: 'succeeded', detail: expect.stringContaining('The operation has begun') },
  })
  await eventually(async () =>
    expect(await ask('/host/operations')).toMatchObject({
      operations: [{ action: 'restart', state: 'succeeded', by: { id: 'api_key', name: 'API_KEY' } }],
    }),
  )
  const counted = (await scrape(url, key)).find(({ name }) => name === 'farmgate_game_restarts_total')
  expect(counted).toMatchObject({ labels: { by: 'schedule' }, value: 1 })
})
