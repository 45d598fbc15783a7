/** The writes that name a player or a farmhand, without a server; the game is a plain object. */
import { describe, expect, test } from 'vitest'
import type { Endpoint } from '../../../handlers/endpoint.ts'
import { deleteFarmhand } from '../../../handlers/endpoints/delete-farmhand.ts'
import { grantAdmin } from '../../../handlers/endpoints/grant-admin.ts'
import { rebindFarmhand } from '../../../handlers/endpoints/rebind-farmhand.ts'
import type { Target } from '../../../handlers/game-bridge.ts'
import { call, fails, problemFrom, remembered } from '../plain-game.ts'
import { ask, problem } from './ask.ts'

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

  test('by playerId without a lookup', async () => {
    const { asked, write } = remembered('Far')
    await call(grantAdmin, `playerId=${-(2n ** 63n)}`, { grantAdmin: write })
    expect(asked).toEqual([[{ id: -(2n ** 63n), label: 'id=-9223372036854775808' }]])
  })

  test('of an unknown name is player_not_found', async () => {
    const { code } = await problemFrom(call(grantAdmin, 'name=nobody', people))
    expect(code).toBe('player_not_found')
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

  test('names an unknown id, or one whose farmhand has no name, in the text', async () => {
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
})

test.each([
  ['DELETE /farmhands', deleteFarmhand, 'deleteFarmhand', 'Farmhand', 'idText or name', ''],
  ['POST /roles/admin', grantAdmin, 'grantAdmin', 'Player', 'idText or name', ''],
  ['POST /farmhands/rebind', rebindFarmhand, 'rebindFarmhand', 'Farmhand', 'idText', '&identity=5'],
] as const)('%s says which member replaces a rounded id', async (...row) => {
  const [, endpoint, ability, who, instead, more] = row
  const id = 2n ** 62n
  const known = [3n, id + 1n].map((one) => ({ id: one, name: 'Straße', isCustomized: true }))
  const kind = who === 'Player' ? 'player_not_found' : 'farmhand_not_found'
  const problem = await problemFrom(
    call(endpoint as Endpoint, `playerId=${id}${more}`, {
      farmhands: async () => ({ farmhands: known, version: 1 }),
      players: async () => ({ players: [], version: 1 }),
      [ability]: fails({ kind, label: `id=${id}` }),
    }),
  )
  expect([problem.code, problem.message]).toEqual([
    kind,
    `${who} id=${id} not found; it looks rounded by a program that reads ids as doubles: use ${instead}`,
  ])
})

test('DELETE /farmhands of an unknown name is farmhand_not_found', async () => {
  const problem = await problemFrom(call(deleteFarmhand, 'name=nobody', people))
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
})

const said = (message: unknown) => ({ body: JSON.stringify({ message }) })
const cannotAnnounce = fails({ kind: 'unsupported', what: 'say a line as the server' })

test('the line is said to all players as the server', async () => {
  const { asked, write } = remembered(undefined)
  expect(await ask('announce', { announce: write }, said('The farm\nrestarts at 6 '))).toEqual({
    success: true,
    message: 'Announced to all players',
  })
  expect(asked).toEqual([['The farm restarts at 6']])
})

test('if the game cannot do that, it is said as chat with the author Server', async () => {
  const { asked, write } = remembered(undefined)
  await ask('announce', { announce: cannotAnnounce, sendChat: write }, said('hello'))
  expect(asked).toEqual([[{ author: 'Server', message: 'hello' }]])
})

test('a line that might have been said is not said again as chat', async () => {
  const lost = fails({ kind: 'timeout', write: true })
  expect((await problem('announce', { announce: lost }, said('hello'))).code).toBe('game_timeout')
})

test('a blank message is 400 and makes no request to the game', async () => {
  const { code, details } = await problem('announce', {}, { body: '{"message":" \\n "}' })
  expect([code, details.parameter]).toEqual(['invalid_parameter', 'message'])
})

test('an unknown member is refused by its name', async () => {
  const { message } = await problem('announce', {}, { body: '{"message":"hi","author":"Abby"}' })
  expect(message).toBe("Member 'author' is not known")
})
