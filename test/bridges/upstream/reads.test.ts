/** Reads of the upstream bridge: their number of requests, and what is kept of the answers. */
import { describe, expect, test } from 'vitest'
import * as answers from '../../../bridges/upstream/answers.ts'
import { stringifyRecord } from '../../../lib/json.ts'
import { eventually, pause } from '../../wait.ts'
import { failureOf } from '../contract/expectations.ts'
import { ownGame, reachedGame, still } from '../own-game.ts'

test('the text of an id is made from the id: texts that the game sends are not passed on', () => {
  const text = '{"players":[{"id":9007199254740993,"idText":"1","name":"Abby","isOnline":true}],"version":1}'
  expect(stringifyRecord(answers.readAnswer(answers.players, text))).toBe(
    text.replace('"1"', '"9007199254740993"'),
  )
})

describe('the upstream bridge reads', () => {
  test('with one request for a hundred callers', async () => {
    const { bridge, server } = await reachedGame({ limits: still })
    const answers = await Promise.all(Array.from({ length: 100 }, () => bridge.players()))
    expect(new Set(answers).size).toBe(1)
    expect(server.count('GET /players')).toBe(1)
  })

  test('again only when the last answer is a second old', async () => {
    const { bridge, server, limits } = await reachedGame({ limits: { ...still, keepFor: 150 } })
    const until = performance.now() + 1000
    while (performance.now() < until) {
      await bridge.players()
      await pause(5)
    }
    expect(server.count('GET /players')).toBeGreaterThan(1)
    expect(server.count('GET /players')).toBeLessThanOrEqual(Math.ceil(1000 / limits.keepFor) + 1)
  })

  test('and returns the same object while the game answers the same, with or without a new request', async () => {
    const { bridge, server } = await reachedGame({
      limits: { ...still, keepFor: 0 },
      snapshotEvery: 3_600_000,
    })
    const first = await bridge.players()
    expect(await bridge.players()).toBe(first)
    expect(server.count('GET /players')).toBe(2)
    server.world.join('Abby', 1n)
    expect(await bridge.players()).not.toBe(first)
  })

  test('again after a write that can change the answer, even while an earlier read is under way', async () => {
    const { bridge, server } = await reachedGame({ limits: { ...still, keepFor: 3_600_000 } })
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

  test('again once the status shows another farm, so that no farmhand of the farm before appears in it', async () => {
    const { bridge, server } = await reachedGame({
      limits: { ...still, keepFor: 3_600_000 },
      snapshotEvery: 20,
    })
    await bridge.status()
    await bridge.farmhands()
    server.world.farmName = 'Hazel'
    await eventually(async () => {
      await bridge.setTime(1200)
      expect(await bridge.status()).toMatchObject({ farmName: 'Hazel' })
    })
    await bridge.farmhands()
    expect(server.count('GET /farmhands')).toBe(2)
  })

  test('a new screenshot after the rendering rate was changed', async () => {
    const { bridge, server } = await reachedGame({ limits: { ...still, keepFor: 3_600_000 } })
    await bridge.screenshot()
    await bridge.screenshot()
    expect(server.count('GET /screenshot')).toBe(1)
    await bridge.setRendering(20)
    await bridge.screenshot()
    expect(server.count('GET /screenshot')).toBe(2)
  })

  test('only health and status without listeners; with listeners the players too', async () => {
    const { bridge, server } = await reachedGame()
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
    const { bridge, server } = await reachedGame()
    expect((await bridge.players()).players).toEqual([])
    server.world.join('Abby', 1n)
    const reported: string[] = []
    bridge.subscribe((event) => event.type === 'player_joined' && reported.push(event.player.name))
    await eventually(async () => expect((await bridge.players()).players).toHaveLength(1))
    server.world.join('Zoë', 2n)
    await eventually(() => expect(reported).toContain('Zoë'))
    expect(reported).toEqual(['Zoë'])
  })

  test('diagnostics with the query of the caller and exact ids, with one request for equal queries', async () => {
    const { bridge, server } = await reachedGame({ limits: still })
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

describe('the upstream bridge reads', () => {
  test('with timestamps in milliseconds, whole numbers and both invite codes, from a game of before September 2026', async () => {
    const { bridge, server } = await reachedGame({ key: 'a key of the game' })
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
    const { bridge } = await reachedGame({ generation: 'since' })
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

  test('one Steam code under both names, whichever of the two the game sends', async () => {
    for (const generation of ['before', 'since', 'newest'] as const) {
      const { bridge } = await reachedGame({ generation })
      expect(await bridge.status()).toMatchObject({ inviteCode: 'SABC123', steamInviteCode: 'SABC123' })
    }
  })

  test('the connections of the newest game, in its status and its health', async () => {
    const { bridge, server } = await reachedGame({ generation: 'newest' })
    expect(await bridge.status()).toMatchObject({
      connectionStatusCode: 'ready',
      galaxyLobbyState: 'connected',
      steamSessionState: 'connected',
      steamRelayReady: true,
    })
    const connections = {
      galaxyLobby: 'connected',
      steamSession: 'connected',
      steamRelayReady: true,
      authReadiness: 'ok',
    }
    await eventually(() => expect(bridge.health().connections).toEqual(connections))
    server.world.isRelayReady = false
    await eventually(async () =>
      expect(await bridge.status()).toMatchObject({ connectionStatusCode: 'steamRelayPending' }),
    )
    // The game's health is a separate read.
    await eventually(() =>
      expect(bridge.health().connections).toEqual({ ...connections, steamRelayReady: false }),
    )
    server.world.inviteBase = undefined
    await eventually(async () =>
      expect(await bridge.status()).toMatchObject({ connectionStatusCode: 'starting' }),
    )
    expect(await bridge.status()).not.toHaveProperty('inviteCode')
    expect(await bridge.status()).not.toHaveProperty('steamInviteCode')
  })

  test('the migration, the shared spot and the entry of the farmhouse with the cabins of the newest game', async () => {
    const { bridge, server } = await reachedGame({ generation: 'newest' })
    const spot = { tileX: 50, tileY: 14, isOverride: false, isObstructed: false, obstructionChecked: true }
    const cabins = await bridge.cabins()
    expect(cabins).toMatchObject({ stackSpot: spot, mainFarmHouseEntry: { x: 64, y: 15 } })
    expect(cabins).not.toHaveProperty('migration')
    server.world.migration = { toStrategy: 'None', placedCount: 2, remainingCount: 1 }
    await eventually(async () =>
      expect((await bridge.cabins()).migration).toEqual({
        fromStrategy: 'CabinStack',
        toStrategy: 'None',
        placedCount: 2,
        remainingCount: 1,
      }),
    )
    expect((await bridge.settings()).server.allowCabinRelocation).toBe(true)
  })

  test('a health without a farm while the game answers and none is loaded', async () => {
    const { bridge, server } = await reachedGame()
    await eventually(() => expect(bridge.health()).not.toHaveProperty('isWithoutFarm'))
    server.world.isLoaded = false
    await eventually(() =>
      expect(bridge.health()).toMatchObject({ gameAvailable: true, isWithoutFarm: true }),
    )
  })

  test('the phase while the game starts, and no other member', async () => {
    const { bridge, server } = await ownGame({ generation: 'since', key: 'a key of the game' })
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
    const game = await ownGame()
    await game.server.down()
    expect(await game.bridge.status()).toMatchObject({
      isOnline: false,
      playerCount: 0,
      farmName: '',
      lastUpdated: '',
      version: 0,
    })
  })

  test('a lastUpdated that stands still while the loop of the game is frozen', async () => {
    const { bridge, server } = await reachedGame()
    server.world.isFrozen = true
    await eventually(() => expect(bridge.health().isFrozen).toBe(true))
    const { lastUpdated } = await bridge.status()
    const asked = server.count('GET /status')
    await eventually(() => expect(server.count('GET /status')).toBeGreaterThan(asked + 3))
    expect((await bridge.status()).lastUpdated).toBe(lastUpdated)
    server.world.isFrozen = false
    await eventually(async () => expect((await bridge.status()).lastUpdated > lastUpdated).toBe(true))
  })

  test('the age of the snapshot by its own clock, not by that of the game', async () => {
    const { bridge, server } = await reachedGame()
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
})

test('a game whose newest snapshot is more than two seconds old is stale: a day turns, which its status does not show', async () => {
  const { bridge, server } = await reachedGame({ snapshotEvery: 20 })
  await bridge.status('now')
  expect(bridge.health()).not.toHaveProperty('isStale')
  server.world.publish()
  server.world.isTurning = true
  server.world.clockOffset += 3_000
  expect(await bridge.status('now')).toMatchObject({ isOnline: true, dayTransitionComplete: true })
  expect(bridge.health()).toMatchObject({ isStale: true })
  server.world.isTurning = false
  server.world.publish()
  await bridge.status('now')
  expect(bridge.health()).not.toHaveProperty('isStale')
})
