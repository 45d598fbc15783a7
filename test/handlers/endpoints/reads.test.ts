/** The answers of reads, without a server; the game is a plain object. */
import { describe, expect, test, vi } from 'vitest'
import type { Endpoint } from '../../../handlers/endpoint.ts'
import { cabins } from '../../../handlers/endpoints/cabins.ts'
import { farmhands } from '../../../handlers/endpoints/farmhands.ts'
import { health } from '../../../handlers/endpoints/health.ts'
import { inviteCode } from '../../../handlers/endpoints/invite-code.ts'
import { players } from '../../../handlers/endpoints/players.ts'
import { ready } from '../../../handlers/endpoints/ready.ts'
import { rendering } from '../../../handlers/endpoints/rendering.ts'
import { setRendering } from '../../../handlers/endpoints/set-rendering.ts'
import { setTime } from '../../../handlers/endpoints/set-time.ts'
import { settings } from '../../../handlers/endpoints/settings.ts'
import { status } from '../../../handlers/endpoints/status.ts'
import { FarmError } from '../../../handlers/farm-error.ts'
import type { GameHealth } from '../../../handlers/game-bridge.ts'
import { apiKeyHolder, type KeyHolder, withoutKey } from '../../../handlers/key-holder.ts'
import { call, now, problemFrom, remembered } from '../plain-game.ts'
import { ask, problem } from './ask.ts'

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

  test('says that no key is set, and nothing of keys where one is', async () => {
    const keyless = async (holder: KeyHolder | undefined) =>
      (await call(health, '', { health: () => healthy }, { holder })).keyless
    expect([await keyless(withoutKey), await keyless(undefined), await keyless(apiKeyHolder())]).toEqual([
      true,
      undefined,
      undefined,
    ])
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

test('GET /farmhands shows accounts to admins only, and reuses one object for each list', async () => {
  const { example } = farmhands
  const asked = (holder: KeyHolder | undefined) =>
    call(farmhands, '', { farmhands: async () => example }, { holder })
  const shown = await asked({ ...apiKeyHolder(), scopes: ['read', 'chat', 'control'] })
  const without = example.farmhands.map(({ account: _, ...rest }) => rest)
  expect(shown).toStrictEqual({ ...example, farmhands: without })
  expect(await asked(undefined)).toBe(shown)
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

describe('/rendering', () => {
  test('GET is {"fps"}', async () => {
    expect(await call(rendering, '', { rendering: async () => 15 })).toEqual({ fps: 15 })
  })

  test('POST answers the previous rate and the new one', async () => {
    const { asked, write } = remembered(30)
    expect(await call(setRendering, 'fps=15', { setRendering: write })).toEqual({
      success: true,
      fps: 15,
      previousFps: 30,
      message: 'Rendering enabled at 15 fps',
    })
    expect(asked).toEqual([[15]])
  })

  test('POST fps=0 disables rendering', async () => {
    expect(await call(setRendering, 'fps=0', { setRendering: async () => 15 })).toMatchObject({
      fps: 0,
      previousFps: 15,
      message: 'Rendering disabled',
    })
  })

  test.each(['', 'fps=', 'fps=-1', 'fps=241', 'fps=1.5', 'fps=1&fps=2'])(
    'POST ?%s is 400 and makes no request to the game',
    async (search) => {
      const problem = await problemFrom(call(setRendering, search))
      expect([problem.status, problem.code, problem.details.parameter]).toEqual([
        400,
        'invalid_parameter',
        'fps',
      ])
    },
  )
})

describe('POST /time', () => {
  test('sets the time, minutes 0 to 59, 600 to 2600 inclusive', async () => {
    for (const value of [600, 659, 1200, 2559, 2600]) {
      const { asked, write } = remembered(undefined)
      expect(await call(setTime, `value=${value}`, { setTime: write })).toEqual({
        success: true,
        timeOfDay: value,
        message: `Time set to ${value}`,
      })
      expect(asked).toEqual([[value]])
    }
  })

  test.each(['', 'value=599', 'value=2601', 'value=1275', 'value=660', 'value=x'])(
    '?%s is 400 and makes no request to the game',
    async (search) => {
      const problem = await problemFrom(call(setTime, search))
      expect([problem.status, problem.details.parameter]).toEqual([400, 'value'])
    },
  )
})

describe('endpoints of the game beyond the common contract', () => {
  test.each([
    ['getStats', 'stats'],
    ['getScreenshot', 'screenshot'],
    ['getPasswordProtection', 'passwordProtection'],
    ['getDiagnosticsState', 'diagnostics'],
  ] as const)(
    '%s passes on the record of the game, or is 501 if the game has none',
    async (operation, method) => {
      const record = {} as never
      expect(await ask(operation, { [method]: async () => record })).toBe(record)
      const cannot = async () => {
        throw new FarmError({ kind: 'unsupported', what: 'do that' })
      }
      const { status, message } = await problem(operation, { [method]: cannot })
      expect({ status, message }).toEqual({ status: 501, message: 'This game server cannot do that' })
    },
  )

  test('POST /clock-speed answers the multiplier and the new length of a game minute', async () => {
    const setClockSpeed = vi.fn(async () => 1400)
    const answer = await ask('setClockSpeed', { setClockSpeed }, { search: 'multiplier=0.5' })
    expect(answer).toEqual({ success: true, multiplier: 0.5, effectiveMs: 1400 })
    expect(setClockSpeed.mock.calls).toEqual([[0.5]])
  })

  test.each(['NaN', 'Infinity', '-1', '0', '1e9', '1000000000', '0x10', '1,5', '.5', '5.', '+1', '', '%201'])(
    'POST /clock-speed?multiplier=%s is refused',
    async (multiplier) => {
      const { code, details } = await problem('setClockSpeed', {}, { search: `multiplier=${multiplier}` })
      expect({ code, details }).toEqual({ code: 'invalid_parameter', details: { parameter: 'multiplier' } })
    },
  )

  test('POST /auth/timeout answers the new seconds and the previous ones', async () => {
    const game = { setLoginTimeout: async () => 120 }
    expect(await ask('setLoginTimeout', game, { search: 'value=60' })).toEqual({
      success: true,
      timeoutSeconds: 60,
      previousTimeoutSeconds: 120,
    })
    for (const value of ['-1', '1.0', '2147483648', ''])
      expect((await problem('setLoginTimeout', {}, { search: `value=${value}` })).code).toBe(
        'invalid_parameter',
      )
  })

  test('GET /diagnostics/state passes on its three query parameters', async () => {
    const diagnostics = vi.fn(async () => ({}))
    await ask(
      'getDiagnosticsState',
      { diagnostics },
      { search: 'masterFlag=ccPantry&MASTEREVENT=611439&x=1' },
    )
    expect(diagnostics.mock.calls).toEqual([
      [
        [
          ['masterFlag', 'ccPantry'],
          ['masterEvent', '611439'],
        ],
      ],
    ])
  })
})
