/** A game server that limits the requests of the bridge, or refuses its key. */
import { describe, expect, test } from 'vitest'
import { presence } from '../../../bridges/upstream/presence.ts'
import type { Log } from '../../../lib/log.ts'
import { eventually } from '../../wait.ts'
import { failureOf } from '../contract/expectations.ts'
import { ownGame } from '../own-game.ts'

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
