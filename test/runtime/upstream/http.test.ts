/** Clients over real sockets, farmgate, and a stand-in game server with faults. */
import { Agent, get, request } from 'node:http'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { parseJson } from '../../../handlers/json.ts'
import type { Fault } from '../../game-server/faults.ts'
import type { GameServer } from '../../game-server/game-server.ts'
import { eventually, pause } from '../../wait.ts'
import { tenthOfBudgets } from '../bridges/upstream-game.ts'
import { startPair } from './pair.ts'

const key = 'the key that both of them share'
const id = 2n ** 53n + 1n
const limits = { ...tenthOfBudgets, backOffTo: 200 }
const started = async (options: Parameters<typeof startPair>[0] = {}) => {
  const pair = await startPair({ key, limits, gameThreadBudget: limits.budgetOf('setTime') + 20, ...options })
  onTestFinished(() => pair.close())
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())
  const ask = (path: string, method = 'GET') =>
    new Promise<{ status: number; body: unknown }>((resolve, reject) => {
      const headers = { authorization: `Bearer ${key}` }
      const asked = (method === 'GET' ? get : request)(pair.gate.url + path, { agent, headers, method })
      asked.on('error', reject)
      asked.on('response', async (response) => {
        let text = ''
        for await (const chunk of response) text += String(chunk)
        resolve({ status: response.statusCode ?? 0, body: parseJson(text) })
      })
      asked.end()
    })
  await eventually(async () => expect((await ask('/ready')).status).toBe(200))
  return { ...pair, ask }
}

/** An authenticated chat client, and the messages that it receives. */
async function chatter(url: string) {
  const heard: Record<string, unknown>[] = []
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`)
  onTestFinished(() => socket.terminate())
  socket.on('message', (bytes) => heard.push(JSON.parse(String(bytes))))
  socket.on('open', () => socket.send(JSON.stringify({ type: 'auth', payload: { token: key } })))
  await eventually(() => expect(heard).toContainEqual({ type: 'auth_success' }))
  const say = (message: string) =>
    socket.send(JSON.stringify({ type: 'chat_send', payload: { author: 'Bot', message } }))
  return { heard, say }
}

const answers = (fault: Fault) => (server: GameServer) => {
  server.faults.set(fault)
  return () => server.faults.clear()
}
const knobs: Readonly<Record<string, (server: GameServer) => unknown>> = {
  'hangs in the middle of a body': answers({ kind: 'hangs' }),
  'resets connections': answers({ kind: 'resets' }),
  'answers 200 MB': answers({ kind: 'enormous', bytes: 200 * 1024 * 1024, isChunked: true }),
  'answers wrong types': answers({ kind: 'wrong types' }),
  restarts: async (server) => {
    await server.down()
    return () => server.up()
  },
  'turns its day': ({ world }) => {
    world.isTurning = true
    return () => {
      world.isTurning = false
    }
  },
}

describe('while 200 clients of farmgate poll and 50 chat, a game that', () => {
  for (const [what, turn] of Object.entries(knobs))
    test(`${what} leaves every request answered from the closed set, and every line said at most once`, async () => {
      // The last status is answered for as long as the game is not called away: here longer than any fault lasts.
      const { server, gate, ask } = await started({ limits: { ...limits, awayAfter: 3_600_000 } })
      const { world } = server
      world.join('Abby', id)
      const chatters = await Promise.all(Array.from({ length: 50 }, () => chatter(gate.url)))
      const turnBack = (await turn(server)) as () => unknown
      const statuses = new Map<string, number>()
      const paths = ['/players', '/status', '/farmhands', '/cabins', '/health']
      let lines = 0
      const polling = Array.from({ length: 200 }, async (_, client) => {
        for (let time = 0; time < 4; time += 1) {
          const path = paths[(client + time) % paths.length] ?? '/players'
          const { status } = await ask(path)
          statuses.set(`${path} ${status}`, (statuses.get(`${path} ${status}`) ?? 0) + 1)
          await pause(50)
        }
      })
      for (const [at, one] of chatters.entries()) one.say(`line ${at}`)
      await Promise.all(polling)
      expect([...statuses.keys()].filter((one) => !/ (200|502|503|504)$/.test(one))).toEqual([])
      const open = [...statuses.keys()].filter((one) => /^\/(status|health) /.test(one))
      expect(new Set(open)).toEqual(new Set(['/health 200', '/status 200']))
      await turnBack()
      await eventually(async () => {
        expect((await ask('/players')).body).toMatchObject({ players: [{ id, name: 'Abby' }] })
        expect((await ask('/status')).body).toMatchObject({ isOnline: true, playerCount: 1 })
        expect((await ask('/ready')).status).toBe(200)
      })
      // Its chat is back too: a line of a client whose earlier ones are settled arrives.
      const again = await chatter(gate.url)
      await eventually(async () => {
        lines += 1
        again.say(`again ${lines}`)
        await pause(50)
        expect(world.heard.some((line) => line.includes('again'))).toBe(true)
      })
      expect(new Set(world.heard).size).toBe(world.heard.length)
      world.say('Abby', 'still here')
      for (const { heard } of [...chatters, again])
        await eventually(() =>
          expect(
            heard.filter(({ payload }) => (payload as { message?: string })?.message === 'still here'),
          ).toHaveLength(1),
        )
    })
})

describe('through farmgate', () => {
  test('lines of the game arrive over one socket and have the same number for all clients', async () => {
    const { server, gate } = await started()
    const clients = await Promise.all(Array.from({ length: 5 }, () => chatter(gate.url)))
    for (const message of ['one', 'two', 'three']) server.world.say('Abby', message)
    const lines = (heard: Record<string, unknown>[]) =>
      heard.flatMap(({ type, payload }) =>
        type === 'chat' ? [payload as { seq: number; message: string }] : [],
      )
    for (const { heard } of clients) {
      await eventually(() =>
        expect(lines(heard).map(({ message }) => message)).toEqual(['one', 'two', 'three']),
      )
      const [first, ...rest] = lines(heard).map(({ seq }) => seq)
      expect(rest).toEqual([(first ?? 0) + 1, (first ?? 0) + 2])
    }
    expect(server.chat.count).toBe(1)
  })

  test('a line that is sent while the game is down fails with game_unavailable', async () => {
    const { server, gate, logged } = await started()
    const client = await chatter(gate.url)
    await server.down()
    await eventually(() =>
      logged.some(({ message }) => message.startsWith('chat with the game server is down')),
    )
    client.say('anybody there?')
    await eventually(() =>
      expect(client.heard).toContainEqual({
        type: 'error',
        payload: expect.objectContaining({ code: 'game_unavailable' }),
      }),
    )
    await server.up()
    await eventually(() => expect(server.chat.count).toBe(1))
    expect(server.world.heard).toEqual([])
  })

  test('a write whose answer never comes is 504 and says that its outcome is unknown', async () => {
    const { server, ask } = await started()
    server.faults.set({ kind: 'silent' }, 'POST /time')
    expect(await ask('/time?value=1200', 'POST')).toEqual({
      status: 504,
      body: {
        success: false,
        error: 'The game server did not answer; whether the change was made is unknown',
        code: 'game_timeout',
      },
    })
    expect(server.writesReceived).toHaveLength(1)
  })

  test('a long poll answers as soon as a player joins, with an exact id', async () => {
    const { server, ask, bridge } = await started()
    const players = vi.spyOn(bridge, 'players')
    const waiting = ask(`/wait/players?playerId=${id}`)
    await eventually(() => expect(players).toHaveBeenCalled())
    server.world.join('Abby', id)
    expect(await waiting).toMatchObject({ status: 200, body: { players: [{ id }] } })
  })

  test('a new world is 409 when it cannot be known who is connected', async () => {
    const { server, ask } = await started()
    server.faults.set({ kind: 'garbage' }, 'GET /players')
    await eventually(async () =>
      expect(await ask('/newgame', 'POST')).toMatchObject({
        status: 409,
        body: { code: 'players_connected' },
      }),
    )
    expect(server.world.newGames).toEqual([])
  })

  test('the age of the snapshot and an unreachable game are reported', async () => {
    const { server, ask, gate } = await started()
    const { headers } = await fetch(`${gate.url}/players`, { headers: { authorization: `Bearer ${key}` } })
    expect(Number(headers.get('x-snapshot-age-ms'))).toBeLessThan(10_000)
    await server.down()
    await eventually(async () => {
      expect((await ask('/ready')).status).toBe(503)
      expect((await ask('/health')).body).toMatchObject({ status: 'degraded', gameAvailable: false })
      expect(await ask('/status')).toMatchObject({
        status: 503,
        body: { code: 'game_unavailable', isOnline: false, farmName: 'Junimo' },
      })
      expect(await ask('/players')).toMatchObject({ status: 503, body: { code: 'game_unavailable' } })
    })
  })
})

describe('a game that refuses farmgate', () => {
  const keyless = (url: string, path: string) => fetch(`${url}${path}`)
  const withKey = (url: string, path: string) =>
    fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } })

  test('with 401 for GAME_API_KEY: only callers with a key read the cause; /health is degraded', async () => {
    const { gate, server } = await started()
    server.state.key = 'rotated'
    await eventually(async () =>
      expect(await (await withKey(gate.url, '/players')).json()).toEqual({
        success: false,
        error: 'The game server refuses the key that farmgate shows it (GAME_API_KEY)',
        code: 'game_unavailable',
        retry: true,
      }),
    )
    expect(await (await keyless(gate.url, '/health')).json()).toMatchObject({
      status: 'degraded',
      gameAvailable: false,
    })
    const ready = await keyless(gate.url, '/ready')
    expect([ready.status, await ready.json()]).toMatchObject([
      503,
      { error: 'The game server is not available' },
    ])
  })

  test('with 429: callers get 503 with the Retry-After of the game', async () => {
    const { gate, server } = await started()
    server.faults.set(
      { kind: 'status', status: 429, body: '{}', headers: { 'retry-after': '77' } },
      'GET /settings',
    )
    const response = await withKey(gate.url, '/settings')
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '77'])
    expect(await response.json()).toMatchObject({
      code: 'game_unavailable',
      error: expect.stringMatching(/limits how often farmgate may ask; try again in 77 s$/),
      retry: true,
    })
  })
})
