import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { awayStatus } from '../../../handlers/away-status.ts'
import { GameError } from '../../../handlers/game-error.ts'
import { stringifyRecord } from '../../../handlers/json.ts'
import * as answers from '../../../runtime/bridges/upstream/answers.ts'
import { eventually, pause } from '../../wait.ts'
import { failureOf } from './contract/expectations.ts'
import { tenthOfBudgets, upstreamGame } from './upstream-game.ts'

const started = async (options: Parameters<typeof upstreamGame>[0] = {}) => {
  const game = await upstreamGame(options)
  onTestFinished(() => game.close())
  await eventually(() => expect(game.bridge.health().gameAvailable).toBe(true))
  return game
}
/** The bridge does not poll by itself, so every request to the game is one of the test. */
const still = { pollEvery: 3_600_000, awayAfter: 3_600_000, availableFor: 3_600_000 }

test('the text of an id is made from the id: texts that the game sends are not passed on', () => {
  const text = '{"players":[{"id":9007199254740993,"idText":"1","name":"Abby","isOnline":true}],"version":1}'
  expect(stringifyRecord(answers.readAnswer(answers.players, text))).toBe(
    text.replace('"1"', '"9007199254740993"'),
  )
})

test('an answer with a number beyond a double is refused, because JSON cannot pass an infinite one on', () => {
  for (const number of ['1e400', '-1e400'])
    expect(() => answers.readAnswer(answers.rendering, `{"fps":${number}}`)).toThrow(GameError)
})

describe('the upstream bridge reads', () => {
  test('with one request for a hundred callers', async () => {
    const { bridge, server } = await started({ limits: still })
    const answers = await Promise.all(Array.from({ length: 100 }, () => bridge.players()))
    expect(new Set(answers).size).toBe(1)
    expect(server.count('GET /players')).toBe(1)
  })

  test('again only when the last answer is a second old', async () => {
    const { bridge, server, limits } = await started({ limits: { ...still, keepFor: 150 } })
    const until = performance.now() + 1000
    while (performance.now() < until) {
      await bridge.players()
      await pause(5)
    }
    expect(server.count('GET /players')).toBeGreaterThan(1)
    expect(server.count('GET /players')).toBeLessThanOrEqual(Math.ceil(1000 / limits.keepFor) + 1)
  })

  test('and returns the same object while the game answers the same, with or without a new request', async () => {
    const { bridge, server } = await started({ limits: { ...still, keepFor: 0 }, snapshotEvery: 3_600_000 })
    const first = await bridge.players()
    expect(await bridge.players()).toBe(first)
    expect(server.count('GET /players')).toBe(2)
    server.world.join('Abby', 1n)
    expect(await bridge.players()).not.toBe(first)
  })

  test('again after a write that can change the answer, even while an earlier read is under way', async () => {
    const { bridge, server } = await started({ limits: { ...still, keepFor: 3_600_000 } })
    await bridge.rendering()
    server.faults.set({ kind: 'slow', milliseconds: 200 }, 'GET /rendering')
    await bridge.setRendering(20)
    const early = bridge.rendering()
    await eventually(() => expect(server.count('GET /rendering')).toBe(2))
    server.faults.clear()
    await bridge.setRendering(30)
    expect(await bridge.rendering()).toBe(30)
    expect(await early).toBe(20)
    expect(await bridge.rendering()).toBe(30)
  })

  test('a new screenshot after the rendering rate was changed', async () => {
    const { bridge, server } = await started({ limits: { ...still, keepFor: 3_600_000 } })
    await bridge.screenshot()
    await bridge.screenshot()
    expect(server.count('GET /screenshot')).toBe(1)
    await bridge.setRendering(20)
    await bridge.screenshot()
    expect(server.count('GET /screenshot')).toBe(2)
  })

  test('with timestamps in milliseconds, whole numbers and both invite codes, from a game of before September 2026', async () => {
    const { bridge, server } = await started({ key: 'a key of the game' })
    const status = await bridge.status()
    expect(status.lastUpdated).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(status).toMatchObject({
      steamInviteCode: 'SABC123',
      gogInviteCode: 'GABC123',
      serverVersion: '1.4.1',
    })
    expect(await bridge.stats()).toMatchObject({ tps: 60, memoryMb: 412.6 })
    expect(JSON.stringify(server.state.readHeaders)).toContain('Bearer a key of the game')
  })

  test('the additional and missing members of a game since September 2026', async () => {
    const { bridge } = await started({ generation: 'since' })
    const status = await bridge.status()
    expect(status).toMatchObject({
      serverName: 'Clover',
      tps: 60,
      steamRelayReady: true,
      steamSession: 'connected',
    })
    expect(status).not.toHaveProperty('gogInviteCode')
    expect(status).not.toHaveProperty('galaxyLobby')
  })

  test('the phase while the game starts, and no other member', async () => {
    const game = await upstreamGame({ generation: 'since', key: 'a key of the game' })
    onTestFinished(() => game.close())
    const { bridge, server } = game
    server.state.phase = 'downloading'
    await eventually(async () =>
      expect(await bridge.status()).toMatchObject({ isOnline: false, phase: 'downloading', lastUpdated: '' }),
    )
    expect(await failureOf(bridge.players())).toEqual({ kind: 'not_ready' })
    expect(await failureOf(bridge.setTime(900))).toEqual({ kind: 'not_ready' })
    server.state.phase = undefined
    await eventually(async () => expect((await bridge.status()).isOnline).toBe(true))
    server.state.phase = 'starting'
    await eventually(async () =>
      expect(await bridge.status()).toMatchObject({ isOnline: false, phase: 'starting', farmName: 'Junimo' }),
    )
    await eventually(() => expect(bridge.health().gameAvailable).toBe(false))
  })

  test('a status that never rejects: zeros and empty strings if the game was never reached', async () => {
    const game = await upstreamGame()
    onTestFinished(() => game.close())
    await game.server.down()
    expect(await game.bridge.status()).toMatchObject({
      isOnline: false,
      playerCount: 0,
      farmName: '',
      lastUpdated: '',
      version: 0,
    })
  })

  test('the last status unchanged in the first seconds of an outage, then the reduced status of a game that is away', async () => {
    const limits = { ...tenthOfBudgets, awayAfter: 1500 }
    const { bridge, server } = await started({ snapshotEvery: 3_600_000, limits })
    const last = await bridge.status()
    server.faults.set({ kind: 'silent' })
    expect(await bridge.status()).toBe(last)
    expect(bridge.health()).not.toHaveProperty('awaySince')
    await eventually(async () => {
      const away = await bridge.status()
      expect(away).toEqual({ ...awayStatus(last), lastUpdated: away.lastUpdated })
    })
    expect(bridge.health()).toMatchObject({ gameAvailable: false, awaySince: expect.any(Number) })
    server.faults.clear()
    await eventually(async () => {
      const { lastUpdated } = await bridge.status()
      expect(await bridge.status()).toEqual({ ...last, lastUpdated })
    })
    expect(bridge.health()).not.toHaveProperty('awaySince')
  })

  test('a lastUpdated that stands still while the loop of the game is frozen', async () => {
    const { bridge, server } = await started()
    server.world.isFrozen = true
    await eventually(() => expect(bridge.health().isFrozen).toBe(true))
    const { lastUpdated } = await bridge.status()
    const asked = server.count('GET /status')
    await eventually(() => expect(server.count('GET /status')).toBeGreaterThan(asked + 3))
    expect((await bridge.status()).lastUpdated).toBe(lastUpdated)
    server.world.isFrozen = false
    await eventually(async () => expect((await bridge.status()).lastUpdated > lastUpdated).toBe(true))
  })

  test('nothing from a bad answer: the next caller asks again', async () => {
    const { bridge, server } = await started({ limits: still })
    server.world.join('Abby', 1n)
    server.faults.set({ kind: 'garbage' }, 'GET /players')
    expect(await failureOf(bridge.players())).toMatchObject({ kind: 'bad_response' })
    server.faults.clear()
    expect((await bridge.players()).players).toHaveLength(1)
  })

  test.each([
    [
      { kind: 'slow', milliseconds: 1000 },
      { kind: 'timeout', write: false },
    ],
    [{ kind: 'hangs' }, { kind: 'timeout', write: false }],
    [{ kind: 'silent' }, { kind: 'timeout', write: false }],
    [{ kind: 'resets' }, { kind: 'unavailable' }],
    [{ kind: 'truncated' }, { kind: 'unavailable' }],
    [{ kind: 'status', status: 500, body: '{"error":"Internal server error"}' }, { kind: 'bad_response' }],
    [{ kind: 'status', status: 503, body: '{"error":"blocked","retry":true}' }, { kind: 'not_ready' }],
    [{ kind: 'status', status: 503, body: '<h1>no backend</h1>' }, { kind: 'unavailable' }],
    [{ kind: 'status', status: 404, body: '{"error":"Not found"}' }, { kind: 'unsupported' }],
    [{ kind: 'status', status: 404, body: '<h1>Not found</h1>' }, { kind: 'bad_response' }],
    [{ kind: 'wrong types' }, { kind: 'bad_response' }],
    [{ kind: 'enormous', bytes: 200 * 1024 * 1024, isChunked: true }, { kind: 'bad_response' }],
    [{ kind: 'enormous', bytes: 200 * 1024 * 1024, isChunked: false }, { kind: 'bad_response' }],
  ] as const)('an answer that %j as %j', async (fault, failure) => {
    const { bridge, server } = await started({ limits: { ...still, ...tenthOfBudgets } })
    server.faults.set(fault, 'GET /players')
    expect(await failureOf(bridge.players())).toMatchObject(failure)
    server.faults.clear()
    expect((await bridge.players()).players).toEqual([])
  })

  test('at most the size limit from an answer of 200 MB', async () => {
    const { bridge, server } = await started({ limits: still })
    let sent = 0
    const huge = createServer((_request, response) => {
      response.writeHead(200)
      const write = () => {
        while (!response.destroyed && sent < 200 * 1024 * 1024) {
          sent += 65_536
          if (!response.write(Buffer.alloc(65_536))) return void response.once('drain', write)
        }
        response.end()
      }
      write()
    })
    await server.down()
    await new Promise<void>((resolve) => huge.listen(server.port, '127.0.0.1', resolve))
    onTestFinished(() => void huge.close())
    expect(await failureOf(bridge.players())).toMatchObject({ kind: 'bad_response' })
    await eventually(
      () =>
        new Promise<void>((resolve, reject) => {
          huge.getConnections((_error, count) =>
            count === 0 ? resolve() : reject(new Error(`${count} open`)),
          )
        }),
    )
    expect(sent).toBeLessThan(32 * 1024 * 1024)
  })

  test('nothing from the target of a redirect, and does not send the key there', async () => {
    const asked: string[] = []
    const stranger = createServer((request, response) => {
      asked.push(JSON.stringify(request.headers))
      response.end('{"players":[],"version":1}')
    })
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void stranger.close())
    const to = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}/players`
    const { bridge, server } = await started({ key: 'a key of the game' })
    server.faults.set({ kind: 'redirects', to })
    expect(await failureOf(bridge.players())).toMatchObject({ kind: 'bad_response' })
    expect(await failureOf(bridge.setTime(900))).toMatchObject({ kind: 'bad_response' })
    expect(asked).toEqual([])
  })

  test('unavailable while the game refuses the key, logged once without the key, until it is accepted again', async () => {
    const { bridge, server, logged } = await started({ key: 'a key of the game' })
    server.state.key = 'rotated'
    await eventually(async () =>
      expect(await failureOf(bridge.players())).toEqual({ kind: 'unavailable', because: 'key_refused' }),
    )
    const polls = server.count('GET /health')
    await eventually(() => expect(server.count('GET /health')).toBeGreaterThan(polls + 4))
    expect(bridge.health().gameAvailable).toBe(false)
    expect(logged.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
      'the game server refuses GAME_API_KEY: set it to its own API_KEY',
    ])
    server.state.key = 'a key of the game'
    await eventually(() => expect(bridge.health().gameAvailable).toBe(true))
    expect(JSON.stringify(logged)).not.toContain('a key of the game')
  })

  test('the age of the snapshot by its own clock, not by that of the game', async () => {
    const { bridge, server } = await started()
    const age = () => Date.now() - (bridge.health().snapshotAt ?? 0)
    for (const offset of [-86_400_000, 3_600_000, 0]) {
      server.world.clockOffset = offset
      const { version } = await bridge.status()
      await eventually(async () => expect((await bridge.status()).version).toBeGreaterThan(version + 2))
      expect(age()).toBeGreaterThanOrEqual(0)
      expect(age()).toBeLessThan(10_000)
      const { lastUpdated } = await bridge.status()
      expect(Math.abs(Date.now() - Date.parse(lastUpdated))).toBeLessThan(10_000)
    }
  })

  test('only health and status without listeners; with listeners the players too', async () => {
    const { bridge, server } = await started()
    await eventually(() => expect(server.count('GET /status')).toBeGreaterThan(5))
    expect([...server.counts.keys()].sort()).toEqual(['GET /health', 'GET /status'])
    bridge.subscribe(() => {})
    await eventually(() =>
      expect([...server.counts.keys()].sort()).toEqual([
        'GET /cabins',
        'GET /health',
        'GET /players',
        'GET /rendering',
        'GET /status',
      ]),
    )
  })

  test('and sends a new listener no event from before it listened', async () => {
    const { bridge, server } = await started()
    expect((await bridge.players()).players).toEqual([])
    server.world.join('Abby', 1n)
    const told: string[] = []
    bridge.subscribe((event) => event.type === 'player_joined' && told.push(event.player.name))
    await eventually(async () => expect((await bridge.players()).players).toHaveLength(1))
    server.world.join('Zoë', 2n)
    await eventually(() => expect(told).toContain('Zoë'))
    expect(told).toEqual(['Zoë'])
  })

  test('diagnostics with the query of the caller and exact ids, with one request for equal queries', async () => {
    const { bridge, server } = await started({ limits: still })
    server.world.join('Abby', 2n ** 53n + 1n)
    const query: [string, string][] = [['masterFlag', 'a&b=c']]
    const [one, other] = await Promise.all([bridge.diagnostics(query), bridge.diagnostics(query)])
    expect(one).toBe(other)
    expect(one).toMatchObject({ masterHasFlag: false })
    expect(one['otherFarmerUids']).toContain(2n ** 53n + 1n)
    expect(one).not.toHaveProperty('masterHasEvent')
    expect(one['capturedAt']).toMatch(/\.\d{3}Z$/)
  })
})
