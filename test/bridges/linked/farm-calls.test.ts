/** The calls of the edge, at the farm: those that reach the game, and the answers. */

import { setImmediate as turn } from 'node:timers/promises'
import * as v from 'valibot'
import { describe, expect, test, vi } from 'vitest'
import { frameText, readFarmFrame } from '../../../bridges/linked/protocol.ts'
import { endpoints } from '../../../handlers/endpoints/all-endpoints.ts'
import { farmFailure } from '../../../handlers/farm-error.ts'
import { readParameters, sentQuery } from '../../../handlers/parameter.ts'
import { problemOf } from '../../../handlers/problem.ts'
import { farmEnd } from './farm-end.ts'

describe('calls', () => {
  test('are answered by their ids, in the order in which the game answers', async () => {
    const { game, said, hear, welcome } = await farmEnd()
    welcome()
    game.controls.freeze()
    hear({ type: 'call', id: 1, method: 'setTime', args: [1200] })
    hear({ type: 'call', id: 2, method: 'rendering', args: [] })
    await turn()
    expect(said.at(-1)).toMatchObject({ type: 'answer', id: 2 })
    game.controls.thaw()
    await turn()
    expect(said.findLast(({ type }) => type === 'answer')).toMatchObject({ id: 1 })
  })

  test('are not answered after a cancel', async () => {
    const { game, said, hear, welcome } = await farmEnd()
    welcome()
    game.controls.freeze()
    hear({ type: 'call', id: 1, method: 'setTime', args: [1200] })
    hear({ type: 'cancel', id: 1 })
    game.controls.thaw()
    hear({ type: 'call', id: 2, method: 'rendering', args: [] })
    await turn()
    expect(said.at(-1)).toMatchObject({ type: 'answer', id: 2 })
    expect(said.some(({ id }) => id === 1)).toBe(false)
  })

  test('of unknown methods or with invalid arguments end as failures, and do not reach the game', async () => {
    const { game, said, hear, welcome } = await farmEnd()
    welcome()
    const before = game.controls.writes
    hear({ type: 'call', id: 1, method: 'constructor', args: [] })
    hear({ type: 'call', id: 2, method: 'setTime', args: ['noon'] })
    hear({ type: 'call', id: 3, method: 'deleteFarmhand', args: [{ id: 1.5, label: 'x' }] })
    await turn()
    expect(said.filter(({ type }) => type === 'failure')).toHaveLength(3)
    expect(game.controls.writes).toBe(before)
  })

  test.each([
    ['setTime', [1275], '/time', 'value=1275'],
    ['setTime', [3000], '/time', 'value=3000'],
    ['setRendering', [99_999], '/rendering', 'fps=99999'],
    ['setRendering', [-1], '/rendering', 'fps=-1'],
    ['setClockSpeed', [0], '/clock-speed', 'multiplier=0'],
    ['setLoginTimeout', [2 ** 31], '/auth/timeout', 'value=2147483648'],
    ['rebindFarmhand', [{ id: 1, label: 'id=1' }, '0'], '/farmhands/rebind', 'playerId=1&identity=0'],
  ])(
    'of %s with %j are refused with the texts of the HTTP API, and do not reach the game',
    async (method, args, path, query) => {
      const { game, said, hear, welcome } = await farmEnd()
      welcome()
      const before = game.controls.writes
      hear({ type: 'call', id: 1, method, args })
      await turn()
      expect(said.at(-1)?.type).toBe('failure')
      const { failure } = said.at(-1) ?? {}
      const endpoint = endpoints.find((one) => one.path === path && one.method === 'POST')
      expect(() => readParameters(endpoint?.parameters ?? {}, sentQuery(query))).toThrow(
        problemOf(v.parse(farmFailure, failure)).message,
      )
      expect(game.controls.writes).toBe(before)
    },
  )

  test.each([
    [
      'a line of 11,000 characters',
      { author: 'Bot', message: 'x'.repeat(11_000) },
      /a line must have 1 to 450/,
    ],
    ['an author of 33', { author: 'x'.repeat(33), message: 'hi' }, /author must have 1 to 32/],
    ['an empty author', { author: '', message: 'hi' }, /author must have 1 to 32/],
    ['a line break', { author: 'Bot', message: 'one\ntwo' }, /a line must have .*control character/],
    ['a line separator', { author: 'Bot\u2028', message: 'hi' }, /author must have .*control character/],
  ])('of sendChat with %s are refused, and do not reach the game', async (_what, line, words) => {
    const { game, said, hear, welcome } = await farmEnd()
    welcome()
    hear({ type: 'call', id: 1, method: 'sendChat', args: [line] })
    await turn()
    expect(said.at(-1)?.type).toBe('failure')
    const problem = problemOf(v.parse(farmFailure, said.at(-1)?.failure))
    expect([problem.status, problem.message]).toEqual([400, expect.stringMatching(words)])
    expect(game.controls.chatRelayed).toEqual([])
  })

  test('of diagnostics with a query that the HTTP API refuses are refused, and do not reach the game', async () => {
    const { game, said, hear, welcome } = await farmEnd()
    const diagnostics = vi.spyOn(game, 'diagnostics')
    welcome()
    const queries = [[['other', '1']], [['masterFlag', 'x'.repeat(4097)]], Array(4).fill(['masterFlag', 'x'])]
    for (const [id, query] of queries.entries())
      hear({ type: 'call', id, method: 'diagnostics', args: [query] })
    await turn()
    expect(said.filter(({ type }) => type === 'failure')).toHaveLength(queries.length)
    for (const { failure } of said.filter(({ type }) => type === 'failure'))
      expect(failure).toMatchObject({ kind: 'invalid_argument' })
    expect(diagnostics).not.toHaveBeenCalled()
  })

  test('that fail report whether a write might have been made', async () => {
    const { game, said, hear, welcome } = await farmEnd()
    welcome()
    game.controls.fallSilent()
    hear({ type: 'call', id: 1, method: 'setTime', args: [1200] })
    game.controls.goOffline()
    await turn()
    expect(said.find(({ type }) => type === 'failure')).toEqual({
      type: 'failure',
      id: 1,
      failure: { kind: 'timeout', write: true },
    })
    const sent = frameText({
      type: 'failure',
      id: 1,
      failure: { kind: 'bad_response', detail: 'status 500', write: true },
    })
    expect(readFarmFrame(sent)?.frame).toEqual(JSON.parse(sent))
  })

  test('beyond 256 at a time are refused', async () => {
    const { game, said, hear, welcome } = await farmEnd()
    welcome()
    game.controls.freeze()
    for (let id = 1; id <= 1000; id += 1) hear({ type: 'call', id, method: 'setTime', args: [1200] })
    await turn()
    expect(said.filter(({ type }) => type === 'failure')).toHaveLength(744)
    expect(game.health().pendingActions).toBe(256)
    await game.close()
  })
})
