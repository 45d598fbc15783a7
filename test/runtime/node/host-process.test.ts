/** `npm run serve` with GAME_HOST=command: real commands, a stand-in for the game's API, and farmgate killed at any step. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { connect } from '../../../client/index.ts'
import { ended } from '../../contract/client/host-calls.ts'
import { startGameServer } from '../../game-server/game-server.ts'
import { newFolder } from '../../new-folder.ts'
import { eventually } from '../../wait.ts'
import { serving } from './farmgate-process.ts'
import { openedFarm } from './open-farm.ts'

const key = 'canary-host-host-host'
const at = { warnMinutes: [], backup: false }

/** A game that runs while a file is there. The commands are programs of every machine; their order is in a log. */
async function setUp(more: Readonly<Record<string, string>> = {}) {
  const folder = newFolder()
  const [running, log, slow] = ['running', 'game.log', 'slow'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const game = await startGameServer({ snapshotEvery: 20 })
  onTestFinished(() => game.stop())
  writeFileSync(running, '')
  writeFileSync(log, `SMAPI started with ${key}\n`)
  const command = (script: string) => JSON.stringify(['/bin/sh', '-c', script])
  /** While the file `slow` is there, a command does not end. */
  const wait = `while test -e ${slow}; do sleep 0.05; done`
  const env = {
    API_KEY: key,
    GAME_API_URL: game.url,
    DATA_DIR: join(folder, 'data'),
    GAME_HOST: 'command',
    GAME_START: command(`echo start >> ${log}; touch ${running}; ${wait}`),
    GAME_STOP: command(`echo stop >> ${log}; ${wait}; rm -f ${running}`),
    GAME_RUNNING: JSON.stringify(['/usr/bin/test', '-e', running]),
    GAME_LOG: log,
    ...more,
  }
  const withClient = <Farm extends { readonly url: string }>(farmgate: Farm) => ({
    ...farmgate,
    farm: connect({ url: farmgate.url, key }),
  })
  /** In this process. */
  const open = async () => withClient(await openedFarm(env))
  /** As a process that can be killed. */
  const start = async () => withClient(await serving(env))
  const printed = () => readFileSync(log, 'utf8').split('\n').slice(1, -1)
  return { env, running, open, start, slow, printed }
}

test('a game is restarted, with its log, an audit row and a metric, and no secret in any answer', async () => {
  const { open, printed } = await setUp()
  const { farm, url } = await open()
  const { operation } = await farm.restartGame({ ...at, reason: 'New mods' })
  expect(operation).toMatchObject({ action: 'restart', by: { id: 'api_key' }, reason: 'New mods' })
  expect(await ended(farm, operation)).toMatchObject({ state: 'succeeded' })
  expect(printed()).toEqual(['stop', 'start'])
  const log = await farm.hostLog({ lines: 10 })
  expect(log.lines.map(({ text }) => text)).toEqual(['SMAPI started with …', 'stop', 'start'])
  const { entries } = await farm.audit({ action: 'restartGame' })
  expect(entries).toMatchObject([{ outcome: 'done', status: 202, parameters: { reason: 'New mods' } }])
  const metrics = await fetch(`${url}/metrics`, { headers: { Authorization: `Bearer ${key}` } })
  expect(await metrics.text()).toMatch(/farmgate_game_restarts_total\{[^}]*by="key"[^}]*\} 1\n/)
  expect(await farm.host()).toMatchObject({
    driver: 'command',
    state: 'running',
    restartsToday: 1,
    can: { console: false, log: true },
    operation: null,
  })
})

describe('the process of a game that ended without an operation', () => {
  const gone = async (more?: Readonly<Record<string, string>>) => {
    const { open, running } = await setUp(more)
    const { farm } = await open()
    const state = async () => (await farm.host()).state
    // The records keep that it has been seen running.
    await eventually(async () => expect((await farm.status()).isOnline).toBe(true))
    await delay(1500)
    rmSync(running)
    return { farm, state }
  }

  test('has crashed, although the driver knows no exit code, until an operation has ended', async () => {
    const { farm, state } = await gone()
    expect(await state()).toBe('crashed')
    expect(await ended(farm, (await farm.startGame({})).operation)).toMatchObject({ state: 'succeeded' })
    expect(await state()).toBe('running')
    expect(await ended(farm, (await farm.stopGame(at)).operation)).toMatchObject({ state: 'succeeded' })
    expect(await state()).toBe('stopped')
  })

  test('is stopped where GAME_WATCHDOG is off', async () => {
    const { state } = await gone({ GAME_WATCHDOG: 'off' })
    expect(await state()).toBe('stopped')
  })
})

test('killed with SIGKILL while it stops a game that keeps running, a restart has failed', async () => {
  const { open, start, slow } = await setUp()
  const first = await start()
  await eventually(async () => expect(await first.farm.status()).toMatchObject({ isOnline: true }))
  writeFileSync(slow, '')
  const { operation } = await first.farm.restartGame(at)
  await eventually(async () => expect((await first.farm.host()).operation?.state).toBe('stopping'))
  first.signal('SIGKILL')
  await first.exited
  const { farm } = await open()
  const end = await ended(farm, operation)
  expect(end).toMatchObject({ state: 'failed', error: expect.stringContaining('the game still runs') })
})

test('a game that farmgate starts has the variables that every program has, and no secret of one .env that serves all', async () => {
  const { env, running } = await setUp()
  rmSync(running)
  const seen = join(newFolder(), 'seen')
  const secrets = {
    PLATFORM_PASSWORD: 'canary',
    TICKET_KEY: 'canary',
    FLEET_KEY: 'canary',
    LINK_KEY: 'canary',
  }
  const usual = { HOME: newFolder(), USER: 'farmer', LANG: 'C.UTF-8', LC_TIME: 'C', TZ: 'Asia/Tokyo' }
  const GAME_START = JSON.stringify([
    '/bin/sh',
    '-c',
    `/usr/bin/env -0 > ${seen}.new; mv ${seen}.new ${seen}; touch ${running}`,
  ])
  const { url } = await serving({ ...env, ...secrets, ...usual, GAME_START, SERVER_TOKEN: 'canary' })
  await connect({ url, key }).startGame({})
  const variables = await eventually(() => readFileSync(seen, 'utf8').split('\0').filter(Boolean))
  const own = Object.fromEntries(variables.map((text) => text.split(/=(.*)/s).slice(0, 2)))
  // The shell sets PWD and its like itself.
  const { PATH: _path, PWD: _pwd, OLDPWD: _old, SHLVL: _level, _: _last, ...rest } = own
  expect(rest).toEqual(usual)
})
