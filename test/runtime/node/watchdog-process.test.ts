/** The watchdog of a real process, with a game behind real commands that dies. */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startGameServer } from '../../game-server/game-server.ts'
import { newFolder } from '../../new-folder.ts'
import { aReceiver } from '../../services/webhooks/a-receiver.ts'
import { eventually } from '../../wait.ts'
import { serving } from './farmgate-process.ts'
import { scrape } from './scrape.ts'

const key = 'watchdog-watchdog-watchdog'
const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }

test('a game that dies is started again: webhooks, audit, metrics and GET /host show it', async () => {
  const game = await startGameServer()
  onTestFinished(() => game.stop())
  const receiver = await aReceiver()
  // The process of the game is a file.
  const file = join(newFolder(), 'running')
  writeFileSync(file, '')
  const { url } = await serving({
    API_KEY: key,
    GAME_API_URL: game.url,
    GAME_HOST: 'command',
    GAME_START: JSON.stringify(['touch', file]),
    GAME_STOP: JSON.stringify(['rm', file]),
    GAME_RUNNING: JSON.stringify(['/bin/sh', '-c', `touch ${file}.looked; test -e ${file}`]),
    GAME_WATCHDOG: 'restart',
    GAME_WATCHDOG_SECONDS: '10',
    WEBHOOK_PRIVATE_HOSTS: '127.0.0.1',
    RATE_LIMIT_READS: '0',
  })
  const json = async (path: string, init: RequestInit = {}): Promise<unknown> =>
    (await fetch(`${url}${path}`, { headers, ...init })).json()
  const events = ['game.crashed', 'game.hung', 'game.restarted', 'watchdog.gave_up']
  const body = JSON.stringify({ name: 'w', url: receiver.url, events, format: 'standard' })
  await json('/webhooks', { method: 'POST', body })
  const ended = async (count: number, action: string) =>
    eventually(async () => {
      const { operations } = (await json('/host/operations')) as { readonly operations: readonly object[] }
      expect(operations).toHaveLength(count)
      expect(operations[0]).toMatchObject({ action, state: 'succeeded', by: { id: 'watchdog' } })
    })
  await eventually(async () => expect(await json('/health')).toMatchObject({ gameAvailable: true }))
  // It has seen the game run.
  await eventually(() => existsSync(`${file}.looked`))
  const polls = game.count('GET /status')
  await eventually(() => game.count('GET /status') > polls + 2)

  await game.down()
  rmSync(file)
  await eventually(() => existsSync(file))
  await game.up()
  await ended(1, 'start')

  const { entries } = (await json('/audit')) as { readonly entries: readonly Record<string, unknown>[] }
  const own = entries.filter(({ origin }) => origin === 'watchdog')
  expect(own).toMatchObject([
    { action: 'startGame', outcome: 'done', key: { id: 'watchdog', name: 'watchdog' } },
  ])
  await eventually(() => receiver.received.length === 2)
  const told = receiver.received.map(({ body: text }) => JSON.parse(text))
  expect(told).toMatchObject([
    { type: 'game.crashed' },
    { type: 'game.restarted', data: { by: 'watchdog', reason: 'The game has crashed' } },
  ])
  expect(await json('/host')).toMatchObject({
    restartsToday: 1,
    watchdog: { mode: 'restart', restartsThisHour: 1 },
  })
  const value = async (name: string) => (await scrape(url, key)).find((one) => one.name === name)
  expect(await value('farmgate_game_crashes_total')).toMatchObject({ value: 1 })
  expect(await value('farmgate_game_hangs_total')).toMatchObject({ value: 0 })
  expect(await value('farmgate_watchdog_gave_up')).toMatchObject({ value: 0 })
  expect(await value('farmgate_game_restarts_total')).toMatchObject({ value: 1, labels: { by: 'watchdog' } })
}, 300_000)
