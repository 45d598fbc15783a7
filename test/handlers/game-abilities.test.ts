/** The calls of a game: their time limits, arguments and answers. */
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { offered } from '../../dashboard/views/settings/fields.ts'
import { callsOf } from '../../handlers/ability.ts'
import { endpoints } from '../../handlers/endpoints/all-endpoints.ts'
import { lostAnswer } from '../../handlers/farm-error.ts'
import { type AbilityName, abilities, abilityNames, isAbility } from '../../handlers/game-abilities.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { refusedStrategy } from '../../handlers/settings-change.ts'

const exampleOf = (operation: string) =>
  endpoints.find(({ operationId }) => operationId === operation)?.example
const issue = (name: AbilityName, args: readonly unknown[]) => {
  const read = v.safeParse(abilities[name].args, args)
  return read.success ? undefined : read.issues[0].message
}
const accepts = (name: AbilityName, args: readonly unknown[]) => issue(name, args) === undefined
const abby = { id: 1n, label: "'Abby'" }

test('a read has two seconds, or five when it waits for the game thread', () => {
  const reads = abilityNames.filter((name) => abilities[name].effect === 'read')
  const slow: readonly AbilityName[] = ['screenshot', 'diagnostics']
  for (const name of reads)
    expect([name, abilities[name].budget]).toEqual([name, slow.includes(name) ? 5000 : 2000])
})

test('a write has five seconds, fifteen to delete a farmhand, and more than two minutes to load a world', () => {
  const writes = abilityNames.filter((name) => abilities[name].effect === 'write')
  const longer = { deleteFarmhand: 15_000, newGame: 130_000, reload: 130_000 }
  const expected = Object.fromEntries(writes.map((name) => [name, 5000]))
  expect(Object.fromEntries(writes.map((name) => [name, abilities[name].budget]))).toEqual({
    ...expected,
    ...longer,
  })
})

test('a write whose answer is lost might have been made; a read can be repeated', () => {
  expect(lostAnswer('write')).toEqual({ kind: 'timeout', write: true })
  expect(lostAnswer('read')).toEqual({ kind: 'unavailable' })
})

describe('the arguments of a call', () => {
  test.each([
    ['setRendering', [0, 15, 240], [-1, 241, 1.5, '15'], "Parameter 'fps' must be an integer from 0 to 240"],
    [
      'setTime',
      [600, 1259, 2600],
      [599, 2601, 1260, 1275, 900.5],
      "Parameter 'value' must be a time of day from 600 to 2600 with minutes below 60",
    ],
    [
      'setClockSpeed',
      [0.01, 1, 1000],
      [0, 0.009, 1000.1, Number.NaN, Number.POSITIVE_INFINITY],
      "Parameter 'multiplier' must be a number from 0.01 to 1000",
    ],
    [
      'setLoginTimeout',
      [0, 2 ** 31 - 1],
      [-1, 2 ** 31, 0.5],
      "Parameter 'value' must be an integer from 0 to 2147483647",
    ],
  ] as const)('%s takes its bounds and nothing beyond them', (name, good, bad, sentence) => {
    for (const value of good) expect([value, issue(name, [value])]).toEqual([value, undefined])
    for (const value of bad) expect([value, accepts(name, [value])]).toEqual([value, false])
    expect(issue(name, [bad[0]])).toBe(sentence)
  })

  test('an identity is a decimal account id of 64 bits, not 0', () => {
    for (const id of ['1', '76561198000000001', '18446744073709551615'])
      expect([id, issue('rebindFarmhand', [abby, id])]).toEqual([id, undefined])
    for (const id of ['', '0', '18446744073709551616', '100000000000000000000000', '-1', '1a', 'a1', '1 '])
      expect([id, issue('rebindFarmhand', [abby, id])]).toEqual([
        id,
        "Parameter 'identity' must be a decimal account id as in the connect log",
      ])
  })

  test('a line of the chat has an author of 1 to 32 units and 1 to 450 units of text', () => {
    const say = (author: number, message: number) =>
      issue('sendChat', [{ author: 'a'.repeat(author), message: 'm'.repeat(message) }])
    expect([say(1, 1), say(32, 450)]).toEqual([undefined, undefined])
    const printable = 'none of them a control character or half a surrogate pair'
    for (const author of [0, 33])
      expect(say(author, 1)).toBe(`author must have 1 to 32 characters, ${printable}`)
    for (const message of [0, 451])
      expect(say(1, message)).toBe(`a line must have 1 to 450 characters, ${printable}`)
    for (const message of ['a\nb', '\u0000', '\u0085', '\u2028', '\u2029', '\ud800'])
      expect([message, accepts('sendChat', [{ author: 'a', message }])]).toEqual([message, false])
    expect(accepts('sendChat', [{ author: '🌱', message: 'a 🥕' }])).toBe(true)
    expect([accepts('sendChat', [{ author: 'a' }]), accepts('sendChat', ['hello'])]).toEqual([false, false])
  })

  test('a person has an int64 id and a label', () => {
    for (const name of ['deleteFarmhand', 'grantAdmin'] as const) {
      expect(accepts(name, [abby])).toBe(true)
      expect(accepts(name, [{ ...abby, label: 'x'.repeat(4096) }])).toBe(true)
      for (const wrong of [
        { id: 1n },
        { label: 'x' },
        { ...abby, label: 'x'.repeat(4097) },
        { ...abby, id: 2n ** 63n },
      ])
        expect([wrong, accepts(name, [wrong])]).toEqual([wrong, false])
    }
  })

  test('the query of the diagnostics is a list of names and values', () => {
    expect(accepts('diagnostics', [[['masterFlag', 'ccPantry']]])).toBe(true)
    for (const wrong of [[], ['masterFlag'], [['masterFlag']], [[['masterFlag', 1]]], [[[1, 'ccPantry']]]])
      expect([wrong, accepts('diagnostics', wrong)]).toEqual([wrong, false])
  })

  test('a call without arguments is made without any, and others with what they change', () => {
    for (const name of ['players', 'screenshot', 'reload'] as const) expect(accepts(name, [])).toBe(true)
    for (const [name, good, bad] of [
      ['players', 'now', 'later'],
      ['newGame', { farmName: 'Clover' }, { farmName: 7 }],
      ['changeSettings', { server: { maxPlayers: 8 } }, { server: { maxPlayers: 0 } }],
      ['announce', 'hello', ''],
    ] as const)
      expect([name, accepts(name, [good]), accepts(name, [bad])]).toEqual([name, true, false])
  })
})

test('each answer of a game fits the schema of its ability, and no other type does', () => {
  const answers: Readonly<Partial<Record<AbilityName, unknown>>> = {
    players: exampleOf('getPlayers'),
    inviteCode: 'GABC',
    farmhands: exampleOf('getFarmhands'),
    settings: exampleOf('getSettings'),
    cabins: exampleOf('getCabins'),
    rendering: 15,
    stats: exampleOf('getStats'),
    passwordProtection: exampleOf('getPasswordProtection'),
    screenshot: exampleOf('getScreenshot'),
    diagnostics: exampleOf('getDiagnosticsState'),
    deleteFarmhand: undefined,
    rebindFarmhand: undefined,
    changeSettings: exampleOf('changeSettings'),
    setRendering: 30,
    setTime: undefined,
    grantAdmin: 'Abby',
    sendChat: undefined,
    announce: undefined,
    setClockSpeed: 70,
    setLoginTimeout: 120,
    newGame: 'New game created',
    reload: 'World reloaded',
  }
  for (const [name, answer] of Object.entries(answers)) {
    const { result } = abilities[name as AbilityName]
    expect([name, v.is(result, answer)]).toEqual([name, true])
  }
  for (const name of abilityNames)
    expect([name, v.is(abilities[name].result, Symbol('no answer'))]).toEqual([name, false])
  expect(v.is(abilities.inviteCode.result, undefined)).toBe(true)
})

test('only members of the table are abilities', () => {
  expect(['players', 'health', 'subscribe', 'toString', '__proto__', ''].map(isAbility)).toEqual([
    true,
    false,
    false,
    false,
    false,
    false,
  ])
})

test('one function can make every call of a port by its name', async () => {
  const called: unknown[] = []
  const game = callsOf<GameBridge, AbilityName>(abilities, async (name, args) => {
    called.push([name, args])
    return undefined as never
  })
  await game.setTime(900)
  await game.players()
  expect(called).toEqual([
    ['setTime', [900]],
    ['players', []],
  ])
  expect(Object.keys(game)).toEqual([...abilityNames])
})

const strategies = ['CabinStack', 'FarmhouseStack', 'None']

test('the game refuses to let cabins appear: to None, and from FarmhouseStack to CabinStack', () => {
  const refused = strategies.flatMap((from) =>
    strategies.filter((to) => refusedStrategy(from, to) !== undefined).map((to) => `${from} to ${to}`),
  )
  expect(refused).toEqual(['CabinStack to None', 'FarmhouseStack to CabinStack', 'FarmhouseStack to None'])
})

test('the page offers exactly the strategies that the API takes', () => {
  for (const from of strategies)
    expect(offered('server.cabinStrategy', strategies, from)).toEqual(
      strategies.filter((to) => refusedStrategy(from, to) === undefined),
    )
})
