/** Many farms in one process (`serve --farms`): a fault of one does not touch another. */
import { spawnSync } from 'node:child_process'
import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openAuthenticated } from '../../contract/chat-client.ts'
import { type GameServer, startGameServer } from '../../game-server/game-server.ts'
import { canRun } from '../../left-out.ts'
import { newFolder } from '../../new-folder.ts'
import { portOf, unusedPort } from '../../port-of.ts'
import { programs } from '../../programs.ts'
import { eventually } from '../../wait.ts'
import { launch } from './farmgate-process.ts'

const names = ['clover', 'robin'] as const
type Name = (typeof names)[number]
const keyOf = (name: Name) => `the-key-of-${name}-farm`

interface Options {
  readonly folder?: string
  /** Additional variables of the farm clover. */
  readonly clover?: Readonly<Record<string, string>>
  /** Additional variables of both. */
  readonly both?: Readonly<Record<string, string>>
  /** Goes before the command. */
  readonly within?: readonly string[]
  /** Options of Node. */
  readonly node?: readonly string[]
}

/** Serves both farms in one process. */
async function servingFarms({
  folder = newFolder(),
  clover = {},
  both = {},
  within = [],
  node = [],
}: Options = {}) {
  for (const name of names) {
    const own = {
      API_PORT: '0',
      API_KEY: keyOf(name),
      SIM_SEED: name,
      ...both,
      ...(name === 'clover' && clover),
    }
    writeFileSync(
      join(folder, `${name}.env`),
      Object.entries(own)
        .map(([variable, value]) => `${variable}=${value}\n`)
        .join(''),
    )
  }
  const command = [...within, process.execPath, ...node, programs.serve, '--farms', folder]
  const [first = '', ...rest] = command
  const env = { API_HOST: '127.0.0.1', DATA_DIR: join(folder, 'data') }
  const farmgate = await launch([first, ...rest], env)
  const listening = async (name: Name) => {
    const [, url = ''] = await farmgate.said(new RegExp(`"farm":"${name}"[^\\n]*"url":"(http:[^"]+)"`))
    return url
  }
  return { ...farmgate, folder, listening }
}

/** A farm as a client sees it. */
const client = (url: string, name: Name) => {
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${url}${path}`, { headers: { Authorization: `Bearer ${keyOf(name)}` }, ...init })
  const json = async (path: string): Promise<Record<string, unknown>> =>
    Object(await (await call(path)).json())
  return {
    url,
    wsUrl: `${url.replace('http', 'ws')}/ws`,
    key: keyOf(name),
    call,
    json,
    setTime: async (value: number) => (await call(`/time?value=${value}`, { method: 'POST' })).status,
    entries: async () =>
      Object((await json('/audit?limit=500'))['entries']) as { readonly parameters: unknown }[],
  }
}

const gameOf = async (): Promise<GameServer> => {
  const game = await startGameServer()
  onTestFinished(() => game.stop())
  return game
}

describe('two farms in one process', () => {
  test('have nothing in common: key, limit of requests, link, chat, records, and a game that hangs', async () => {
    const games = { clover: await gameOf(), robin: await gameOf() }
    const links = new Set<string>()
    const edge = createHttpServer().on('upgrade', ({ url, headers }, socket) => {
      links.add(`${url} ${headers.authorization}`)
      socket.destroy()
    })
    const edgeUrl = `http://127.0.0.1:${await portOf(edge)}`
    const farmgate = await servingFarms({
      both: { GAME_API_URL: games.robin.url, EDGE_URL: `${edgeUrl}/robin`, EDGE_LINK_KEY: 'of-robin' },
      clover: {
        GAME_API_URL: games.clover.url,
        EDGE_URL: `${edgeUrl}/clover`,
        EDGE_LINK_KEY: 'of-clover',
        RATE_LIMIT_READS: '30',
        RATE_LIMIT_FAILED_KEYS: '2',
      },
    })
    const clover = client(await farmgate.listening('clover'), 'clover')
    const robin = client(await farmgate.listening('robin'), 'robin')
    for (const farm of [clover, robin])
      await eventually(async () => expect(await farm.json('/health')).toMatchObject({ gameAvailable: true }))

    // Keys.
    const named = await clover.call('/keys', {
      method: 'POST',
      headers: { Authorization: `Bearer ${clover.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'bot', scopes: ['read'] }),
    })
    const { key: namedKey } = Object(await named.json())
    const withKey = async (url: string, key: string) =>
      (await fetch(`${url}/keys/own`, { headers: { Authorization: `Bearer ${key}` } })).status
    expect(await withKey(clover.url, namedKey)).toBe(200)
    expect([await withKey(robin.url, namedKey), await withKey(robin.url, clover.key)]).toEqual([401, 401])

    // Chat: the first line that a client of robin gets is one of robin.
    const [atClover, atRobin] = [await openAuthenticated(clover), await openAuthenticated(robin)]
    games.clover.world.say('Abby', 'for clover only')
    expect(await atClover.take('chat')).toMatchObject({ payload: { message: 'for clover only' } })
    games.robin.world.say('Sam', 'for robin only')
    expect(await atRobin.take('chat')).toMatchObject({ payload: { message: 'for robin only' } })
    expect(await atClover.messages('chat')).toHaveLength(1)

    // Records.
    expect([await clover.setTime(1200), await robin.setTime(1300)]).toEqual([200, 200])
    const times = async (farm: typeof clover) =>
      (await farm.entries()).map(({ parameters }) => Object(parameters)['value']).filter(Boolean)
    expect([await times(clover), await times(robin)]).toEqual([['1200'], ['1300']])

    // A game that hangs: the other farm answers meanwhile.
    games.clover.faults.set({ kind: 'silent' })
    let isAnswered = false
    const hanging = clover.setTime(1400).finally(() => {
      isAnswered = true
    })
    await eventually(() => games.clover.unanswered().includes('POST /time'))
    expect(await robin.setTime(1500)).toBe(200)
    expect(await robin.json('/status')).toMatchObject({ isOnline: true })
    expect(isAnswered).toBe(false)
    games.clover.faults.clear()
    await games.clover.down()
    await hanging

    // Limits of clover.
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async () => [
        (await clover.call('/players')).status,
        (await robin.call('/players')).status,
      ]),
    )
    expect(statuses.some(([status]) => status === 429)).toBe(true)
    expect(new Set(statuses.map(([, status]) => status))).toEqual(new Set([200]))
    const wrong = { headers: { Authorization: 'Bearer wrong' } }
    for (const _ of [1, 2, 3]) await fetch(`${clover.url}/players`, wrong)
    expect((await fetch(`${clover.url}/players`, wrong)).status).toBe(429)
    expect((await fetch(`${robin.url}/players`, wrong)).status).toBe(401)

    await eventually(() => expect(links.size).toBe(2))
    expect([...links].sort()).toEqual(['/clover/link Bearer of-clover', '/robin/link Bearer of-robin'])

    // Each line of the log is that of one farm.
    const lines = farmgate.stdout().trim().split('\n')
    expect(new Set(lines.map((line) => Object(JSON.parse(line)).farm))).toEqual(new Set(names))
  })

  test('lose no confirmed write of either by kill -9, and continue with the same keys after a restart', async () => {
    const first = await servingFarms()
    const written = { clover: 0, robin: 0 }
    const writers = names.map(async (name) => {
      const farm = client(await first.listening(name), name)
      // Until it is killed.
      while ((await farm.setTime(1200).catch(() => undefined)) === 200) written[name] += 1
    })
    await eventually(() => written.clover > 20 && written.robin > 20)
    first.signal('SIGKILL')
    await Promise.all(writers)
    const second = await servingFarms({ folder: first.folder })
    for (const name of names) {
      const farm = client(await second.listening(name), name)
      const done = (await farm.entries()).filter((entry) => Object(entry)['outcome'] === 'done')
      expect(done.length).toBeGreaterThanOrEqual(written[name])
      expect(await farm.json('/health')).toMatchObject({ records: 'ok' })
    }
  })

  test('start alone: one whose port is taken is tried again until it is free, and SIGTERM ends all with 0', async () => {
    const other = createServer()
    const port = await portOf(other)
    const farmgate = await servingFarms({ clover: { API_PORT: String(port) } })
    const robin = client(await farmgate.listening('robin'), 'robin')
    await farmgate.said(/"farm":"clover"[^\n]*port \d+ is in use[^\n]*this farm has failed/)
    expect(await robin.setTime(1200)).toBe(200)
    // A failed start leaves its folder of records to the next.
    await new Promise((resolve) => other.close(resolve))
    const clover = client(await farmgate.listening('clover'), 'clover')
    expect(await clover.setTime(1200)).toBe(200)
    expect(await clover.json('/health')).toMatchObject({ records: 'ok' })
    farmgate.signal('SIGTERM')
    expect(await farmgate.exited).toEqual({ code: 0, signal: null })
    expect(farmgate.stderr()).toBe('')
    expect(farmgate.stdout().match(/"msg":"stopped"/g)).toHaveLength(2)
  })
})

test('an error in one farm that nothing catches starts this farm again, and no client of another notices', async () => {
  const farmgate = await servingFarms({
    clover: { API_PORT: String(await unusedPort()) },
    node: ['--import', new URL('faulty-farm.ts', import.meta.url).href],
  })
  const clover = client(await farmgate.listening('clover'), 'clover')
  const robin = client(await farmgate.listening('robin'), 'robin')
  const chat = await openAuthenticated(robin)
  const atClover = await openAuthenticated(clover)
  expect(await clover.setTime(1200)).toBe(200)
  await clover.call('/status', { headers: { 'x-fault': 'now' } })
  expect(await atClover.closed).toMatchObject({ code: 1001 })
  await farmgate.said(
    /"farm":"clover"[^\n]*a fault of this farm[^\n]*this farm has failed: farmgate starts it again/,
  )
  await eventually(async () => expect(await clover.setTime(1300)).toBe(200))
  expect(await clover.json('/health')).toMatchObject({ records: 'ok' })
  expect((await clover.entries()).map(({ parameters }) => Object(parameters)['value'])).toEqual([
    '1300',
    '1200',
  ])
  await chat.settled()
  expect(await robin.setTime(1400)).toBe(200)
  expect(farmgate.stdout().match(/"msg":"listening"/g)).toHaveLength(3)
})

/** Runs a command where the folder is its own small file system. */
const onSmallDisk = (folder: string, command: string): readonly string[] => [
  'unshare',
  '--map-root-user',
  '--mount',
  'sh',
  '-c',
  `mount -t tmpfs -o size=6m small ${folder} && ${command}`,
]

function problem(): string | undefined {
  const [file = '', ...args] = onSmallDisk('/mnt', 'true')
  return spawnSync(file, args).status === 0 ? undefined : 'no file system can be mounted here'
}

describe.runIf(canRun('a full disk of one of many farms', problem()))('a full disk of one farm', () => {
  test('leaves the other writing: the one keeps its records in memory, and writes them when there is room', async () => {
    const disk = newFolder()
    const farmgate = await servingFarms({
      clover: { DATA_DIR: join(disk, 'data') },
      within: onSmallDisk(disk, 'exec "$0" "$@"'),
    })
    const clover = client(await farmgate.listening('clover'), 'clover')
    const robin = client(await farmgate.listening('robin'), 'robin')
    // The disk as the process sees it.
    const filling = `/proc/${farmgate.child.pid}/root${disk}/filling`
    expect(() => {
      for (;;) appendFileSync(filling, Buffer.alloc(4096))
    }).toThrow(/ENOSPC/)
    await eventually(async () => {
      expect(await clover.setTime(1200)).toBe(200)
      expect(await clover.json('/health')).toMatchObject({ records: 'failed' })
    })
    expect(await robin.setTime(1300)).toBe(200)
    expect(await robin.json('/health')).toMatchObject({ records: 'ok' })
    const written = (await clover.entries()).length
    rmSync(filling)
    await eventually(async () => expect(await clover.json('/health')).toMatchObject({ records: 'ok' }))
    expect((await clover.entries()).length).toBeGreaterThanOrEqual(written)
    expect(await robin.entries()).toHaveLength(1)
    expect(farmgate.stdout()).not.toMatch(/"farm":"robin"[^\n]*records are kept in memory/)
  })
})
