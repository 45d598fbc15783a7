/** What the farm accepts from the edge, and when it closes the link. */
import { setImmediate as turn } from 'node:timers/promises'
import * as v from 'valibot'
import { describe, expect, test, vi } from 'vitest'
import type { EdgeFrame } from '../../../bridges/linked/protocol.ts'
import { farmFailure } from '../../../handlers/farm-error.ts'
import { apiKeyHolder } from '../../../handlers/key-holder.ts'
import { problemOf } from '../../../handlers/problem.ts'
import { eventually } from '../../wait.ts'
import { timeCall } from './calling-edge.ts'
import { farmEnd } from './farm-end.ts'

const call = (id: number) => ({ type: 'call', id, method: 'rendering', args: [] }) as const
const notUnderstood = [4400, 'Not what this protocol says']
const flooded = [4429, 'Too many frames']

describe('the welcome', () => {
  test('opens the link, and the lines said before it are sent', async () => {
    const { game, hear, welcomes, lines } = await farmEnd()
    for (const line of ['one', 'two', 'three']) game.controls.say(7n, line)
    expect([welcomes(), lines()]).toEqual([0, []])
    hear({ type: 'welcome', generation: 5, heard: 1, newest: 1 })
    expect([welcomes(), lines()]).toEqual([1, [2, 3]])
    game.controls.say(7n, 'four')
    expect(lines()).toEqual([2, 3, 4])
  })

  test('can follow the answer to a heartbeat, which the platform sends automatically', async () => {
    const { hear, welcome, welcomes, closed } = await farmEnd()
    hear({ type: 'pong' })
    welcome()
    hear({ type: 'pong' })
    expect([welcomes(), closed]).toEqual([1, []])
  })

  test('is the first frame: any other before it breaks the protocol', async () => {
    const frames: readonly EdgeFrame[] = [
      call(1),
      { type: 'cancel', id: 1 },
      { type: 'heard', n: 1 },
      { type: 'watch', topics: [] },
      { type: 'look' },
    ]
    for (const frame of frames) {
      const { hear, closed, game } = await farmEnd()
      hear(frame)
      expect([frame.type, closed, game.health().pendingActions]).toEqual([frame.type, [notUnderstood], 0])
    }
  })

  test('is sent once: a second one breaks the protocol', async () => {
    const { hear, welcome, welcomes, closed } = await farmEnd()
    welcome()
    hear({ type: 'welcome', generation: 2, heard: 0, newest: 0 })
    expect([welcomes(), closed]).toEqual([1, [notUnderstood]])
  })
})

test('a call counts as a look: the status after it is sent, although only the clock changed', async () => {
  const { game, hear, welcome, events } = await farmEnd()
  welcome()
  await game.setTime(1200)
  expect(events()).toEqual([])
  hear(call(1))
  expect(events()).toEqual(['status_changed'])
})

describe('when the farm closes the link', () => {
  test('a binary frame is closed with 1003', async () => {
    const { connection, welcome, closed } = await farmEnd()
    welcome()
    connection.receive(undefined)
    expect(closed).toEqual([[1003, 'Text frames only']])
  })

  test('later frames are not accepted, counted or answered, and nothing is sent', async () => {
    const { game, said, hear, welcome, connection, closed, pass } = await farmEnd()
    welcome()
    game.controls.freeze()
    hear({ type: 'call', id: 1, ...timeCall(1200) })
    connection.receive('garbage')
    const before = said.length
    const { writes } = game.controls
    for (let id = 2; id < 31_000; id += 1) {
      hear({ type: 'call', id, ...timeCall(1300) })
      connection.pinged()
    }
    connection.receive(undefined)
    game.controls.thaw()
    game.controls.leave(7n)
    game.controls.goOffline()
    await turn()
    pass(60_000)
    expect([closed, said.length, game.controls.writes]).toEqual([[notUnderstood], before, writes])
  })

  test('the pending calls continue, and are not answered', async () => {
    const { game, said, hear, welcome, connection } = await farmEnd()
    welcome()
    game.controls.freeze()
    hear({ type: 'call', id: 1, ...timeCall(1500) })
    connection.closed()
    game.controls.thaw()
    await turn()
    expect((await game.status()).timeOfDay).toBe(1500)
    expect(said.some(({ id }) => id === 1)).toBe(false)
  })
})

test('a socket that was closed from outside gets nothing more', async () => {
  const { game, said, welcome, connection, pass, closed } = await farmEnd()
  welcome()
  connection.closed()
  const before = said.length
  game.controls.say(7n, 'anybody?')
  game.controls.leave(7n)
  pass(60_000)
  expect([said.length, closed]).toEqual([before, []])
})

describe('the farm accepts 30,000 frames a minute', () => {
  /** Looks until the link is closed, at most 40,000. @returns how many were accepted */
  const looks = ({ hear, closed }: Awaited<ReturnType<typeof farmEnd>>) => {
    let taken = 0
    while (closed.length === 0 && taken < 40_000) {
      hear({ type: 'look' })
      if (closed.length === 0) taken += 1
    }
    return taken
  }

  test('and closes the link with 4429 at one more', async () => {
    const farm = await farmEnd()
    farm.welcome()
    expect(looks(farm)).toBe(29_999)
    expect(farm.closed).toEqual([flooded])
  })

  test('in addition to the calls that it makes and their cancels', async () => {
    const farm = await farmEnd()
    farm.welcome()
    farm.game.controls.freeze()
    for (let id = 1; id <= 200; id += 1) {
      farm.hear({ type: 'call', id, ...timeCall(1200) })
      farm.hear({ type: 'cancel', id })
    }
    expect(looks(farm)).toBe(29_999)
  })

  test('refused calls and cancels without a call included', async () => {
    const farm = await farmEnd()
    farm.welcome()
    farm.hear({ type: 'call', id: 1, method: 'no such thing', args: [] })
    farm.hear({ type: 'cancel', id: 2 })
    farm.hear({ type: 'heard', n: 0 })
    farm.hear({ type: 'watch', topics: [] })
    farm.hear({ type: 'pong' })
    expect(looks(farm)).toBe(29_994)
  })

  test('protocol pings included', async () => {
    const farm = await farmEnd()
    for (let ping = 0; ping < 30_000; ping += 1) farm.connection.pinged()
    expect(farm.closed).toEqual([])
    farm.connection.pinged()
    expect(farm.closed).toEqual([flooded])
  })
})

describe('calls', () => {
  test('are answered by their ids, in the order in which the game answers', async () => {
    const { game, said, hear, welcome } = await farmEnd()
    welcome()
    game.controls.freeze()
    hear({ type: 'call', id: 1, ...timeCall(1200) })
    hear({ type: 'call', id: 2, method: 'rendering', args: [] })
    await turn()
    expect(said.at(-1)).toMatchObject({ type: 'answer', id: 2 })
    game.controls.thaw()
    await eventually(() => expect(said.findLast(({ type }) => type === 'answer')).toMatchObject({ id: 1 }))
  })

  test.each([
    [
      'a line of 11,000 characters',
      { author: 'Bot', lines: ['x'.repeat(11_000)] },
      /a line must have 1 to 450/,
    ],
    ['an author of 33', { author: 'x'.repeat(33), lines: ['hi'] }, /author must have 1 to 32/],
    ['an empty author', { author: '', lines: ['hi'] }, /author must have 1 to 32/],
    ['an empty line', { author: 'Bot', lines: ['hi', ''] }, /a line must have 1 to 450/],
    ['a line break', { author: 'Bot', lines: ['one\ntwo'] }, /a line must have .*control character/],
    ['a line separator', { author: 'Bot\u2028', lines: ['hi'] }, /author must have .*control character/],
    ['no line', { author: 'Bot', lines: [] }, /length/],
    ['eleven lines', { author: 'Bot', lines: Array(11).fill('hi') }, /length/],
  ])('of say with %s are refused, and do not reach the game', async (_what, message, words) => {
    const { game, said, hear, welcome } = await farmEnd()
    welcome()
    const from = { holder: apiKeyHolder(), address: '192.0.2.7' }
    hear({ type: 'call', id: 1, method: 'say', args: [{ ...message, ...from }] })
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
})
