/** Each endpoint by calling it: no server, a game made of a plain object. */
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import type { Endpoint, EndpointRequest } from '../../handlers/endpoint.ts'
import { endpoints } from '../../handlers/endpoints/all-endpoints.ts'
import { cabins } from '../../handlers/endpoints/cabins.ts'
import { deleteFarmhand } from '../../handlers/endpoints/delete-farmhand.ts'
import { farmhands } from '../../handlers/endpoints/farmhands.ts'
import { grantAdmin } from '../../handlers/endpoints/grant-admin.ts'
import { health } from '../../handlers/endpoints/health.ts'
import { inviteCode } from '../../handlers/endpoints/invite-code.ts'
import { players } from '../../handlers/endpoints/players.ts'
import { ready } from '../../handlers/endpoints/ready.ts'
import { rebindFarmhand } from '../../handlers/endpoints/rebind-farmhand.ts'
import { rendering } from '../../handlers/endpoints/rendering.ts'
import { setRendering } from '../../handlers/endpoints/set-rendering.ts'
import { setTime } from '../../handlers/endpoints/set-time.ts'
import { settings } from '../../handlers/endpoints/settings.ts'
import { status } from '../../handlers/endpoints/status.ts'
import type { GameHealth, Target } from '../../handlers/game-bridge.ts'
import { GameError, type GameFailure } from '../../handlers/game-error.ts'
import { readQuery } from '../../handlers/parameter.ts'
import { noRecords } from './no-records.ts'
import { call, now, problemFrom } from './plain-game.ts'

const healthy: GameHealth = {
  gameAvailable: true,
  isFrozen: false,
  lastTickMs: 7,
  tickCount: 60,
  pendingActions: 1,
}
const fails = (failure: GameFailure) => () => Promise.reject(new GameError(failure))
/** A write of the game that remembers what it was asked. */
function remembered<T>(answer: T) {
  const asked: unknown[][] = []
  const write = async (...what: unknown[]) => {
    asked.push(what)
    return answer
  }
  return { asked, write }
}
const people = {
  farmhands: async () => ({
    farmhands: [
      { id: 1n, name: 'Abby', isCustomized: true },
      { id: 2n ** 62n, name: 'Straße', isCustomized: true },
      { id: 3n, name: 'Twin', isCustomized: true },
      { id: 4n, name: 'twin', isCustomized: true },
    ],
    version: 1,
  }),
  players: async () => ({
    players: [
      { id: 1n, name: 'Abby', isOnline: true },
      { id: 9n, name: 'Newcomer', isOnline: true },
    ],
    version: 1,
  }),
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
    })
  })

  test('is degraded when the game is unreachable or frozen', async () => {
    for (const more of [{ gameAvailable: false }, { isFrozen: true }])
      expect(await call(health, '', { health: () => ({ ...healthy, ...more }) })).toMatchObject({
        status: 'degraded',
        ...more,
      })
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
      (async () => call(ready, '', { health: () => ({ ...healthy, gameAvailable: false }) }))(),
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
    const { steamInviteCode: _steam, gogInviteCode: _gog, ...rest } = current
    expect(shown).toEqual(rest)
    expect(await call(status, '', game, { mayRead: false })).toBe(shown)
  })

  test('shows them to everybody with PUBLIC_INVITE_CODES', async () => {
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
  expect(await endpoint.handle({} as never, { [member]: async () => example } as never, noRecords)).toBe(
    example,
  )
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
      const problem = await problemFrom((async () => call(setRendering, search))())
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
      const problem = await problemFrom((async () => call(setTime, search))())
      expect([problem.status, problem.details.parameter]).toEqual([400, 'value'])
    },
  )

  test('a write that timed out has an unknown outcome, and the text says so', async () => {
    const problem = await problemFrom(
      call(setTime, 'value=900', { setTime: fails({ kind: 'timeout', write: true }) }),
    )
    expect([problem.status, problem.code]).toEqual([504, 'game_timeout'])
    expect(problem.message).toContain('unknown')
  })
})

describe('POST /roles/admin', () => {
  test('by name in upper or lower case of any script, among farmhands and players', async () => {
    for (const [search, id] of [
      ['name=ABBY', 1n],
      ['name=STRASSE', 2n ** 62n],
      ['name=newcomer', 9n],
    ] as const) {
      const { asked, write } = remembered('Their Name')
      expect(await call(grantAdmin, search, { ...people, grantAdmin: write })).toEqual({
        success: true,
        playerId: id,
        playerName: 'Their Name',
        message: "Admin role granted to 'Their Name'",
      })
      expect(asked).toEqual([[expect.objectContaining({ id } satisfies Partial<Target>)]])
    }
  })

  test('by playerId without looking anybody up', async () => {
    const { asked, write } = remembered('Far')
    await call(grantAdmin, `playerId=${-(2n ** 63n)}`, { grantAdmin: write })
    expect(asked).toEqual([[{ id: -(2n ** 63n), label: 'id=-9223372036854775808' }]])
  })

  test('a farmhand who is also a connected player is one person', async () => {
    await expect(
      call(grantAdmin, 'name=Abby', { ...people, grantAdmin: async () => 'Abby' }),
    ).resolves.toMatchObject({
      playerId: 1n,
    })
  })

  test.each([
    ['name=nobody', 404, 'player_not_found'],
    ['name=twin', 409, 'ambiguous_name'],
    ['', 400, 'invalid_parameter'],
    ['name=a&playerId=1', 400, 'invalid_parameter'],
  ])('?%s is %i %s', async (search, expected, code) => {
    const problem = await problemFrom((async () => call(grantAdmin, search, people))())
    expect([problem.status, problem.code]).toEqual([expected, code])
  })
})

describe('DELETE /farmhands', () => {
  test('by name and by playerId', async () => {
    const { asked, write } = remembered(undefined)
    expect(await call(deleteFarmhand, 'name=abby', { ...people, deleteFarmhand: write })).toEqual({
      success: true,
      message: "Farmhand 'abby' deleted successfully",
    })
    expect(await call(deleteFarmhand, 'playerId=1', { ...people, deleteFarmhand: write })).toEqual({
      success: true,
      message: "Farmhand 'Abby' deleted successfully",
    })
    expect(asked).toEqual([[{ id: 1n, label: "'abby'" }], [{ id: 1n, label: "'Abby'" }]])
  })

  test('an unknown id, or one whose farmhand has no name, is named in the text', async () => {
    const { asked, write } = remembered(undefined)
    const unnamed = async () => ({ farmhands: [{ id: 8n, name: '', isCustomized: false }], version: 1 })
    for (const id of [7n, 8n])
      expect(
        await call(deleteFarmhand, `playerId=${id}`, { farmhands: unnamed, deleteFarmhand: write }),
      ).toEqual({ success: true, message: `Farmhand id=${id} deleted successfully` })
    await call(deleteFarmhand, 'playerId=7', {
      farmhands: fails({ kind: 'bad_response', detail: '' }),
      deleteFarmhand: write,
    })
    expect(asked).toHaveLength(3)
  })

  test.each([
    [{ kind: 'farmhand_online', label: "'Abby'", change: 'delete' }, 409, 'currently online'],
    [{ kind: 'farmhand_not_found', label: 'id=1' }, 404, 'not found'],
    [{ kind: 'save_in_progress' }, 409, 'save is in progress'],
    [{ kind: 'not_ready' }, 503, 'server not ready'],
  ] as const)(
    'a game that answers %j becomes an error with the words that panels look for',
    async (failure, expected, words) => {
      const problem = await problemFrom(
        call(deleteFarmhand, 'playerId=1', { ...people, deleteFarmhand: fails(failure) }),
      )
      expect(problem.status).toBe(expected)
      expect(problem.message.toLowerCase()).toContain(words)
    },
  )
})

test.each([
  ['DELETE /farmhands', deleteFarmhand, 'deleteFarmhand', 'Farmhand', 'idText or name', ''],
  ['POST /roles/admin', grantAdmin, 'grantAdmin', 'Player', 'idText or name', ''],
  ['POST /farmhands/rebind', rebindFarmhand, 'rebindFarmhand', 'Farmhand', 'idText', '&identity=5'],
] as const)('%s says which member to use in place of an id that was rounded', async (...row) => {
  const [, endpoint, ability, who, instead, more] = row
  const id = 2n ** 62n + 1n
  const known = { id: 2n ** 62n, name: 'Straße', isCustomized: true }
  const kind = who === 'Player' ? 'player_not_found' : 'farmhand_not_found'
  const problem = await problemFrom(
    (endpoint as Endpoint).handle(
      {
        ...({} as EndpointRequest<never>),
        query: readQuery(endpoint.parameters, `playerId=${id}${more}`) as never,
      },
      {
        farmhands: async () => ({ farmhands: [known], version: 1 }),
        players: async () => ({ players: [], version: 1 }),
        [ability]: fails({ kind, label: `id=${id}` }),
      } as never,
      noRecords,
    ) as Promise<unknown>,
  )
  expect([problem.code, problem.message]).toEqual([
    kind,
    `${who} id=${id} not found; it looks rounded by a program that reads ids as doubles: use ${instead}`,
  ])
})

test('DELETE /farmhands of an unknown name is farmhand_not_found', async () => {
  const problem = await problemFrom((async () => call(deleteFarmhand, 'name=nobody', people))())
  expect([problem.code, problem.message]).toEqual(['farmhand_not_found', "Farmhand 'nobody' not found"])
})

describe('POST /farmhands/rebind', () => {
  test('gives the farmhand to that identity', async () => {
    const { asked, write } = remembered(undefined)
    expect(
      await call(rebindFarmhand, 'playerId=-5&identity=18446744073709551615', { rebindFarmhand: write }),
    ).toEqual({
      success: true,
      message: 'Farmhand id=-5 now belongs to 18446744073709551615',
    })
    expect(asked).toEqual([[{ id: -5n, label: 'id=-5' }, '18446744073709551615']])
  })

  test('is 501 unsupported where the bridge cannot', async () => {
    const rebind = fails({ kind: 'unsupported', what: 'rebind farmhands' })
    const problem = await problemFrom(
      call(rebindFarmhand, 'playerId=5&identity=5', { rebindFarmhand: rebind }),
    )
    expect([problem.status, problem.code]).toEqual([501, 'unsupported'])
    expect(problem.message).toContain('rebind farmhands')
  })
})

test("every endpoint's example matches its result schema, and operation ids are unique", () => {
  for (const { method, path, result, example } of endpoints)
    expect([method, path, v.safeParse(result, example).issues]).toEqual([method, path, undefined])
  expect(new Set(endpoints.map(({ operationId }) => operationId)).size).toBe(endpoints.length)
  expect(new Set(endpoints.map(({ method, path }) => `${method} ${path}`)).size).toBe(endpoints.length)
})
