/** farmgate as a process: start, and refusal to start. */
import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { askWithKey } from '../../contract/request.ts'
import { newFolder } from '../../new-folder.ts'
import { eventually } from '../../wait.ts'
import { launch, serve } from './farmgate-process.ts'
import { openedFarm } from './open-farm.ts'

const key = 'process-process-process'

describe('serve', () => {
  test('a missing key: exit 78, both fixes, and a suggested random 32-byte base64 key', async () => {
    const keys = await Promise.all(
      [1, 2].map(async () => {
        const farmgate = await serve({})
        expect((await farmgate.exited).code).toBe(78)
        expect(farmgate.stderr()).toContain('ALLOW_INSECURE_SETUP=true')
        return /API_KEY=(\S+)/.exec(farmgate.stderr())?.[1] ?? ''
      }),
    )
    for (const one of keys) expect(Buffer.from(one, 'base64')).toHaveLength(32)
    expect(keys[0]).not.toBe(keys[1])
  })

  test('API_ENABLED=false: one log line and exit 0, also with other wrong variables', async () => {
    const farmgate = await serve({ API_ENABLED: 'No', API_PORT: 'nonsense' })
    expect((await farmgate.exited).code).toBe(0)
    expect((farmgate.stdout() + farmgate.stderr()).trim().split('\n')).toHaveLength(1)
  })

  test('ALLOW_INSECURE_SETUP=true without a key listens on loopback and says so', async () => {
    const { url, log } = await openedFarm({ API_HOST: '', ALLOW_INSECURE_SETUP: 'true' })
    expect(new URL(url).hostname).toBe('127.0.0.1')
    expect((await fetch(`${url}/players`)).status).toBe(200)
    expect(log).toContainEqual({
      level: 'warn',
      fields: {},
      message: expect.stringMatching(/^no API_KEY is set/),
    })
  })

  test('a simulated farm is a warning in the log at each start, and shows in /status.serverVersion', async () => {
    const { url, log } = await openedFarm({ API_KEY: key })
    const message = expect.stringMatching(/simulated farm.*GAME_API_URL/)
    expect(log).toContainEqual({ level: 'warn', fields: expect.anything(), message })
    const status = await fetch(`${url}/status`)
    expect(await status.json()).toMatchObject({ serverVersion: expect.stringMatching(/^simulated-/) })
  })

  test('every join is logged with player, id, connection id and identity', async () => {
    const { log } = await openedFarm({ API_KEY: key })
    expect(log.find(({ message }) => message === 'player joined')?.fields).toMatchObject({
      player: expect.any(String),
      id: expect.stringMatching(/^-?\d+$/),
      connectionId: expect.stringMatching(/^(SN|GN)_\d+$/),
      joinPath: expect.stringMatching(/^(relay|galaxy)$/),
      identity: expect.stringMatching(/^\d+$/),
    })
  })

  test('SETTINGS_PATH: the farm reads its settings from this file; a broken file is an error and not overwritten', async () => {
    const folder = newFolder()
    const path = join(folder, 'server-settings.json')
    await writeFile(path, '{"Game":{"FarmName":"From file"}}')
    const farmgate = await openedFarm({ API_KEY: key, SETTINGS_PATH: path })
    expect((await askWithKey({ url: farmgate.url, key }, 'GET', '/settings')).json).toMatchObject({
      game: { farmName: 'From file' },
    })
    const broken = '{"Game":'
    await writeFile(path, broken)
    for (const args of [[], ['--check-config']]) {
      const refused = await serve({ API_KEY: key, API_PORT: '0', SETTINGS_PATH: path }, ...args)
      expect((await refused.exited).code).toBe(78)
      expect(refused.stderr()).toContain('server-settings.json')
    }
    expect(await readFile(path, 'utf8')).toBe(broken)
  })

  test('with a game server, a missing settings file does not stop the start', async () => {
    const game = { GAME_API_URL: 'http://127.0.0.1:9', GAME_BRIDGE: 'upstream' }
    const farmgate = await openedFarm({
      API_KEY: key,
      ...game,
      SETTINGS_PATH: join(tmpdir(), 'not-there.json'),
    })
    const refused = await askWithKey({ url: farmgate.url, key }, 'PATCH', '/settings', {
      json: { server: { maxPlayers: 8 } },
    })
    expect(refused.json).toMatchObject({ code: 'unsupported' })
  })

  test('an API_HOST that this machine cannot listen on is exit 78, with --check-config too, together with all other problems', async () => {
    for (const args of [[], ['--check-config']]) {
      const away = await serve({ API_KEY: key, API_HOST: '192.0.2.1', API_PORT: 'x' }, ...args)
      expect((await away.exited).code).toBe(78)
      expect(away.stderr()).toMatch(
        /^API_PORT: .*\nAPI_HOST: is "192.0.2.1", which is not an address of this machine/,
      )
    }
  })

  test('a port in use is one error line that names API_PORT, exit 1', async () => {
    const first = await openedFarm({ API_KEY: key })
    const second = await serve({ API_KEY: key, API_HOST: '127.0.0.1', API_PORT: new URL(first.url).port })
    expect((await second.exited).code).toBe(1)
    expect(second.stderr()).toMatch(/^cannot start: .*in use.*set API_PORT.*\n$/)
  })
})

describe('through npm', () => {
  test('npm start: a demo farm on loopback, its key and address and three curl lines; Ctrl-C ends it, and removes its folder', async () => {
    const TMPDIR = newFolder()
    const made = () => readdirSync(TMPDIR).filter((name) => name.startsWith('farmgate-'))
    const farmgate = await launch(['npm', 'start'], { API_PORT: '0', DATA_DIR: '', TMPDIR })
    const [, url = ''] = await farmgate.said(/open at (http:\S+)/)
    const [, demoKey = ''] = await farmgate.said(/for this run only: {2}(\S+)/)
    await farmgate.said(/Ctrl-C/)
    expect(new URL(url).hostname).toBe('127.0.0.1')
    expect(Buffer.from(demoKey, 'base64')).toHaveLength(32)
    expect(farmgate.stdout().match(/^ +curl /gm)).toHaveLength(3)
    expect(farmgate.stdout()).not.toContain('no game server is controlled')
    const { json, status } = await askWithKey({ url, key: demoKey }, 'GET', '/players')
    expect([status, json]).toEqual([
      200,
      { players: expect.arrayContaining([expect.anything()]), version: expect.any(Number) },
    ])
    await eventually(() => expect(made()).toHaveLength(1))
    farmgate.signal('SIGINT')
    await farmgate.exited
    await expect(fetch(`${url}/health`)).rejects.toThrow('fetch failed')
    expect(made()).toEqual([])
  })

  test('npm run serve: starts the control API; with -- --check-config only checks the environment', async () => {
    const check = await launch(['npm', 'run', 'serve', '--', '--check-config'], { API_KEY: key })
    expect((await check.exited).code).toBe(0)
    const farmgate = await launch(['npm', 'run', 'serve'], {
      API_KEY: key,
      API_PORT: '0',
      API_HOST: '127.0.0.1',
    })
    await farmgate.said(/"url":"http:/)
    farmgate.signal('SIGTERM')
    await farmgate.exited
    await farmgate.said(/"stopped"/)
  })
})
