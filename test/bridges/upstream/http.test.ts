/** Clients over real sockets, farmgate, and a stand-in game server with faults. */
import { describe, expect, test, vi } from 'vitest'
import { eventually } from '../../wait.ts'
import { chatter, id, key, started } from './asked-pair.ts'

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
