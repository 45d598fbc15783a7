import { describe, expect, test } from 'vitest'
import { failureOfMessage, type Subject } from '../../../bridges/upstream/failures.ts'
import { presence } from '../../../bridges/upstream/presence.ts'
import type { FarmFailure } from '../../../handlers/farm-error.ts'
import type { Log } from '../../../lib/log.ts'
import { eventually } from '../../wait.ts'
import { failureOf, person } from '../contract/expectations.ts'
import { ownGame, reachedGame } from '../own-game.ts'
import { tenthOfBudgets } from '../upstream-game.ts'

const unknownOutcome = { kind: 'timeout', write: true }

describe('the upstream bridge writes', () => {
  test.each([
    [{ kind: 'slow', milliseconds: 1000 }, unknownOutcome],
    [{ kind: 'silent' }, unknownOutcome],
    [{ kind: 'hangs' }, unknownOutcome],
    [{ kind: 'resets' }, unknownOutcome],
    [{ kind: 'truncated' }, unknownOutcome],
    [{ kind: 'garbage' }, { kind: 'bad_response', write: true }],
    [{ kind: 'wrong types' }, { kind: 'bad_response', write: true }],
    [
      { kind: 'enormous', bytes: 200 * 1024 * 1024, isChunked: false },
      { kind: 'bad_response', write: true },
    ],
    [
      { kind: 'status', status: 500, body: '{"error":"Internal server error"}' },
      { kind: 'bad_response', write: true },
    ],
    [{ kind: 'status', status: 503, body: '{"error":"blocked","retry":true}' }, { kind: 'not_ready' }],
    [{ kind: 'status', status: 504, body: '<h1>Gateway timeout</h1>' }, unknownOutcome],
    [
      { kind: 'status', status: 404, body: '{"error":"Not found"}' },
      { kind: 'unsupported', what: 'set the time' },
    ],
  ] as const)('once when the answer %j, and reports %j', async (fault, failure) => {
    const { bridge, server } = await reachedGame(failure === unknownOutcome ? { limits: tenthOfBudgets } : {})
    server.faults.set(fault, 'POST /time')
    expect(await failureOf(bridge.setTime(1240))).toMatchObject(failure)
    await eventually(async () => expect((await bridge.status()).isOnline).toBe(true))
    expect(server.writesReceived.map(({ path, query }) => `${path}?${query}`)).toEqual(['/time?value=1240'])
  })

  test('with Content-Length and with the key', async () => {
    const { bridge, server } = await reachedGame({ key: 'a key of the game' })
    await bridge.setTime(1240)
    expect(server.writesReceived[0]?.authorization).toBe('Bearer a key of the game')
    expect(server.world.timeOfDay).toBe(1240)
  })

  test('nothing while the game is unreachable, and fails as unavailable', async () => {
    const { bridge, server } = await reachedGame()
    await server.down()
    expect(await failureOf(bridge.setTime(1240))).toEqual({ kind: 'unavailable' })
    await server.up()
    await eventually(async () => expect((await bridge.players()).players).toEqual([]))
    expect(server.writesReceived).toEqual([])
  })

  test('nothing while the game changes the day, and fails as not_ready', async () => {
    const { bridge, server } = await reachedGame({ gameThreadBudget: 100 })
    server.world.isTurning = true
    expect(await failureOf(bridge.setTime(1240))).toEqual({ kind: 'not_ready' })
    expect(server.world.timeOfDay).toBe(900)
  })

  test('a new world with the given options, and forgets the farmhands of the old one', async () => {
    const { bridge, server } = await reachedGame()
    server.world.addFarmhand('Abby', 1n)
    await bridge.farmhands()
    expect(await bridge.newGame({ farmName: 'Clover 🌱', farmType: 'modded' })).toBe(
      'New game created with farm type modded',
    )
    expect(server.world.newGames).toEqual([{ farmName: 'Clover 🌱', farmType: 'modded' }])
    expect((await bridge.farmhands()).farmhands.map(({ id }) => id)).not.toContain(1n)
    expect(await bridge.reload()).toBe('World reloaded')
  })

  test('and maps the texts of a refusal by the game to problem codes', async () => {
    const { bridge, server } = await reachedGame()
    const { world } = server
    world.join('Abby', 1n)
    expect(await failureOf(bridge.newGame({}))).toEqual({ kind: 'players_connected', count: 1 })
    expect(await failureOf(bridge.reload())).toEqual({ kind: 'players_connected', count: 1 })
    expect(await failureOf(bridge.deleteFarmhand(person(1n)))).toEqual({
      kind: 'farmhand_online',
      change: 'delete',
      label: 'id=1',
    })
    expect(await failureOf(bridge.deleteFarmhand(person(2n)))).toEqual({
      kind: 'farmhand_not_found',
      label: 'id=2',
    })
    expect(await failureOf(bridge.grantAdmin(person(2n)))).toEqual({
      kind: 'player_not_found',
      label: 'id=2',
    })
    expect(await failureOf(bridge.setLoginTimeout(60))).toMatchObject({ kind: 'unsupported' })
    world.isSaving = true
    expect(await failureOf(bridge.deleteFarmhand(person(1n)))).toEqual({ kind: 'save_in_progress' })
    world.isLoaded = false
    expect(await failureOf(bridge.deleteFarmhand(person(1n)))).toEqual({ kind: 'not_ready' })
    expect(await failureOf(bridge.setTime(900))).toEqual({ kind: 'not_ready' })
    expect(await failureOf(bridge.rebindFarmhand(person(1n), '7'))).toMatchObject({ kind: 'unsupported' })
  })

  test('the login timeout, and answers the previous one', async () => {
    const { bridge, server } = await reachedGame()
    server.world.password = { enabled: true, timeoutSeconds: 120, maxAttempts: 3 }
    expect(await bridge.setLoginTimeout(60)).toBe(120)
    expect((await bridge.passwordProtection()).timeoutSeconds).toBe(60)
  })
})

describe('texts of the game', () => {
  const farmhand: Subject = { what: 'do it', isWrite: true, target: { kind: 'farmhand', label: "'X'" } }
  const player: Subject = { ...farmhand, target: { kind: 'player', label: "'X'" } }
  const noPerson: Subject = { what: 'do it', isWrite: true }
  test.each<[string, Subject, FarmFailure]>([
    [
      "Cannot delete farmhand 'X' - currently online",
      farmhand,
      { kind: 'farmhand_online', label: "'X'", change: 'delete' },
    ],
    ['Cannot delete farmhand while save is in progress', farmhand, { kind: 'save_in_progress' }],
    ["Farmhand 'X' not found", farmhand, { kind: 'farmhand_not_found', label: "'X'" }],
    ["Player 'X' not found", player, { kind: 'player_not_found', label: "'X'" }],
    ['Server not ready', noPerson, { kind: 'not_ready' }],
    ['Game manager not initialized yet', noPerson, { kind: 'not_ready' }],
    ['Deletion timed out', farmhand, { kind: 'timeout', write: true }],
    ['New game creation timed out (120s)', noPerson, { kind: 'timeout', write: true }],
    ['World reload timed out (120s)', noPerson, { kind: 'timeout', write: true }],
    [
      'Cannot create new game while 12 client(s) are connected. Disconnect all players first.',
      noPerson,
      { kind: 'players_connected', count: 12 },
    ],
    ['Cannot verify connected clients right now, try again', noPerson, { kind: 'players_connected' }],
    [
      'Object reference not set',
      noPerson,
      { kind: 'bad_response', detail: 'refused: Object reference not set' },
    ],
  ])('%s has its meaning', (words, subject, failure) => {
    expect(failureOfMessage(words, subject)).toEqual(failure)
  })
})

describe('a game that answers 429', () => {
  test('gets no request before its Retry-After has passed, and callers get the remaining seconds', async () => {
    const { server, bridge, lines } = await ownGame({ limits: { pollEvery: 3_600_000 } })
    await bridge.players()
    server.faults.set({ kind: 'status', status: 429, body: '{}', headers: { 'retry-after': '30' } })
    const limited = { kind: 'unavailable', because: 'rate_limited', retryAfter: 30 }
    await eventually(async () => expect(await failureOf(bridge.players())).toEqual(limited))
    expect(await failureOf(bridge.setTime(1200))).toEqual(limited)
    const asked = [server.count('GET /players'), server.writesReceived.length]
    expect(await failureOf(bridge.players())).toMatchObject({ because: 'rate_limited' })
    expect(await failureOf(bridge.setTime(1210))).toMatchObject({ because: 'rate_limited' })
    expect([server.count('GET /players'), server.writesReceived.length]).toEqual(asked)
    // Paths that the game did not limit are requested as before.
    server.faults.clear()
    expect((await bridge.settings()).game.farmName).toBe('Junimo')
    expect(lines('the game server limits')).toHaveLength(1)
  })

  test('gets requests again once its Retry-After has passed', async () => {
    const { server, bridge } = await ownGame()
    server.faults.set(
      { kind: 'status', status: 429, body: '{}', headers: { 'retry-after': '1' } },
      'GET /players',
    )
    await eventually(async () =>
      expect(await failureOf(bridge.players())).toMatchObject({ because: 'rate_limited', retryAfter: 1 }),
    )
    server.faults.clear()
    await eventually(async () => expect((await bridge.players()).players).toEqual([]))
  })

  test('after wrong keys is still logged as a wrong key', async () => {
    const { server, bridge, lines } = await ownGame({ key: 'a key of the game', bridgeKey: 'another' })
    await eventually(() => expect(lines('the game server refuses GAME_API_KEY')).toHaveLength(1))
    server.faults.set(
      { kind: 'status', status: 429, body: '{}', headers: { 'retry-after': '30' } },
      'GET /settings',
    )
    expect(await failureOf(bridge.settings())).toMatchObject({ kind: 'unavailable', because: 'key_refused' })
  })
})

test.each([401, 403])('a game that answers %i refuses GAME_API_KEY', async (status) => {
  const { server, bridge, lines } = await ownGame({ key: 'a key of the game' })
  await eventually(() => expect(bridge.health().gameAvailable).toBe(true))
  server.faults.set({ kind: 'status', status, body: '{"error":"no"}' }, 'POST /time')
  server.faults.set({ kind: 'status', status, body: '{"error":"no"}' }, 'GET /players')
  expect(await failureOf(bridge.setTime(1200))).toEqual({ kind: 'unavailable', because: 'key_refused' })
  expect(bridge.health().gameAvailable).toBe(false)
  expect(lines('the game server refuses GAME_API_KEY: set it to its own API_KEY')).toMatchObject([
    { level: 'error', fields: { address: `127.0.0.1:${server.port}` } },
  ])
})

test('a refused GAME_API_KEY is logged at once, then once a minute while it is refused, and when it is accepted', () => {
  let elapsed = 0
  const reported: string[] = []
  const record = (_fields: object, message: string) => void reported.push(message)
  const log: Log = { debug: record, info: record, warn: record, error: record }
  const game = presence({
    clock: { now: () => 0, monotonic: () => elapsed, after: () => () => undefined, random: () => 0.5 },
    log,
    address: 'game:8080',
    hasKey: true,
    limits: { offlineAfter: 10_000, brokenAfter: 3_000 },
  })
  const refused = 'the game server refuses GAME_API_KEY: set it to its own API_KEY'
  for (; elapsed < 90_000; elapsed += 1000) game.keyRejected()
  expect(reported).toEqual([refused, refused])
  game.keyAccepted()
  game.keyRejected()
  expect(reported).toEqual([refused, refused, 'the game server takes the key again', refused])
})
