/** The answers of reads, without a server; the game is a plain object. */
import { describe, expect, test } from 'vitest'
import type { Endpoint } from '../../../handlers/endpoint.ts'
import { cabins } from '../../../handlers/endpoints/cabins.ts'
import { farmhands } from '../../../handlers/endpoints/farmhands.ts'
import { health } from '../../../handlers/endpoints/health.ts'
import { inviteCode } from '../../../handlers/endpoints/invite-code.ts'
import { players } from '../../../handlers/endpoints/players.ts'
import { ready } from '../../../handlers/endpoints/ready.ts'
import { settings } from '../../../handlers/endpoints/settings.ts'
import { status } from '../../../handlers/endpoints/status.ts'
import type { GameHealth } from '../../../handlers/game-bridge.ts'
import { call, now, problemFrom } from '../plain-game.ts'

const healthy: GameHealth = {
  gameAvailable: true,
  isFrozen: false,
  lastTickMs: 7,
  tickCount: 60,
  pendingActions: 1,
}

describe('GET /health', () => {
  test('makes no request to the game and says ok', async () => {
    expect(await call(health, '', { health: () => healthy })).toEqual({
      status: 'ok',
      timestamp: now,
      gameAvailable: true,
      isFrozen: false,
      lastTickMs: 7,
      tickCount: 60,
      pendingActions: 1,
      records: 'ok',
    })
  })

  test('is degraded when the game is unreachable or frozen', async () => {
    for (const more of [{ gameAvailable: false }, { isFrozen: true }])
      expect(await call(health, '', { health: () => ({ ...healthy, ...more }) })).toMatchObject({
        status: 'degraded',
        ...more,
      })
  })

  test('is not gameAvailable while the game answers without a farm, but is ok', async () => {
    expect(await call(health, '', { health: () => ({ ...healthy, isWithoutFarm: true }) })).toMatchObject({
      status: 'ok',
      gameAvailable: false,
    })
    expect(await call(ready, '', { health: () => ({ ...healthy, isWithoutFarm: true }) })).toEqual({
      ready: true,
    })
  })

  test('has the connections of a newer game server', async () => {
    const connections = { galaxyLobby: 'connected', steamRelayReady: false }
    expect(await call(health, '', { health: () => ({ ...healthy, connections }) })).toMatchObject(connections)
  })

  test('omits lastTickMs before the first tick', async () => {
    const { lastTickMs: _, ...unseen } = healthy
    expect(await call(health, '', { health: () => unseen })).not.toHaveProperty('lastTickMs')
  })
})

describe('GET /ready', () => {
  test('is {"ready":true} while the game is reachable, frozen or not', async () => {
    for (const isFrozen of [true, false])
      expect(await call(ready, '', { health: () => ({ ...healthy, isFrozen }) })).toEqual({ ready: true })
  })

  test('is 503 game_unavailable when it is not', async () => {
    const problem = await problemFrom(
      call(ready, '', { health: () => ({ ...healthy, gameAvailable: false }) }),
    )
    expect([problem.status, problem.code, problem.message]).toEqual([
      503,
      'game_unavailable',
      'The game server is not available',
    ])
    expect(problem.details.retryAfter).toBe(5)
  })
})

describe('GET /status', () => {
  const current = { ...status.example, steamInviteCode: 'S1', gogInviteCode: 'G1' }
  const game = { status: async () => current, health: () => healthy }

  test('shows invite codes to a key holder, in the same object that the bridge returned', async () => {
    expect(await call(status, '', game)).toBe(current)
  })

  test('shows none without a key, and reuses one object for each snapshot', async () => {
    const shown = await call(status, '', game, { mayRead: false })
    const { inviteCode: _any, steamInviteCode: _steam, gogInviteCode: _gog, ...rest } = current
    expect(shown).toEqual(rest)
    expect(await call(status, '', game, { mayRead: false })).toBe(shown)
  })

  test('shows them to anyone with PUBLIC_INVITE_CODES', async () => {
    expect(await call(status, '', game, { mayRead: false, publicInviteCodes: true })).toBe(current)
  })
})

test.each([
  ['GET /players', players, 'players'],
  ['GET /farmhands', farmhands, 'farmhands'],
  ['GET /settings', settings, 'settings'],
  ['GET /cabins', cabins, 'cabins'],
] as const)('%s answers with the same object that the bridge returned', async (_row, endpoint, member) => {
  const { example } = endpoint
  expect(await call(endpoint as Endpoint, '', { [member]: async () => example })).toBe(example)
})

describe('GET /invite-code', () => {
  test('is {"inviteCode"}', async () => {
    expect(await call(inviteCode, '', { inviteCode: async () => 'GABC' })).toEqual({ inviteCode: 'GABC' })
  })

  test('is {"error":"No invite code available"} while there is none', async () => {
    expect(await call(inviteCode, '', { inviteCode: async () => undefined })).toEqual({
      error: 'No invite code available',
    })
  })
})
