/** The calls of a game: their time limits, and the arguments and answers of reads. */
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { offered } from '../../dashboard/views/settings/fields.ts'
import { callsOf } from '../../handlers/ability.ts'
import { endpoints } from '../../handlers/endpoints/all-endpoints.ts'
import { lostAnswer } from '../../handlers/farm-error.ts'
import {
  type AbilityName,
  abilities,
  abilityNames,
  gameReads,
  type ReadName,
} from '../../handlers/game-abilities.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { refusedStrategy } from '../../handlers/settings-change.ts'

const exampleOf = (operation: string) =>
  endpoints.find(({ operationId }) => operationId === operation)?.example
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

test('the query of the diagnostics is a list of names and values, and players may be read now', () => {
  const accepts = (name: ReadName, args: readonly unknown[]) => v.is(gameReads[name].args, args)
  expect(accepts('diagnostics', [[['masterFlag', 'ccPantry']]])).toBe(true)
  for (const wrong of [[], ['masterFlag'], [['masterFlag']], [[['masterFlag', 1]]], [[[1, 'ccPantry']]]])
    expect([wrong, accepts('diagnostics', wrong)]).toEqual([wrong, false])
  expect([accepts('players', ['now']), accepts('players', ['later'])]).toEqual([true, false])
  for (const name of ['players', 'screenshot'] as const) expect(accepts(name, [])).toBe(true)
})

test('each answer of a game fits the schema of its ability, and no other type does', () => {
  const answers: Readonly<Record<ReadName, unknown>> = {
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
  }
  for (const [name, answer] of Object.entries(answers)) {
    const { result } = gameReads[name as ReadName]
    expect([name, v.is(result, answer), v.is(result, Symbol('no answer'))]).toEqual([name, true, false])
  }
  expect(v.is(gameReads.inviteCode.result, undefined)).toBe(true)
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
