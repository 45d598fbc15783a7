/** The farm's unsolicited frames over the link, for any behaviour of the edge. */
import { setImmediate as turn } from 'node:timers/promises'
import * as v from 'valibot'
import { describe, expect, test, vi } from 'vitest'
import { type EdgeFrame, frameText, readFarmFrame } from '../../../bridges/linked/protocol.ts'
import { endpoints } from '../../../handlers/endpoints/all-endpoints.ts'
import { farmFailure } from '../../../handlers/farm-error.ts'
import { readParameters, sentQuery } from '../../../handlers/parameter.ts'
import { problemOf } from '../../../handlers/problem.ts'
import { farmEnd } from './farm-end.ts'

describe("the farm's unsolicited frames", () => {
  test('hello is the first frame, and nothing follows before the welcome of the edge', async () => {
    const { types, game, pass } = await farmEnd()
    game.controls.say(7n, 'hello?')
    game.controls.leave(7n)
    game.controls.freeze()
    pass(1000)
    expect(types()).toEqual(['hello'])
  })

  test('hello says when chat lines cannot be stored, which an older edge ignores', async () => {
    const [kept, unkept] = [await farmEnd(true), await farmEnd(false)]
    expect(kept.said[0]).not.toHaveProperty('keepsChat')
    expect(unkept.said[0]).toMatchObject({ type: 'hello', keepsChat: false })
  })

  test('player.unlisted is sent only to an edge that knows it: an older one would close the link', async () => {
    const player = { id: 8n, name: 'Stranger', isOnline: true }
    const [older, newer] = [await farmEnd(), await farmEnd()]
    older.hear({ type: 'welcome', generation: 1, heard: 0 })
    newer.hear({ type: 'welcome', generation: 1, heard: 0, unlisted: true })
    for (const { connection, hear } of [older, newer]) {
      hear({ type: 'watch', topics: ['players'] })
      connection.event({ type: 'player.unlisted', player })
    }
    expect(older.events()).toEqual([])
    expect(newer.events()).toEqual(['player.unlisted'])
  })

  test('changes of the clock are sent only while clients read the status', async () => {
    const { types, game, welcome, hear, pass } = await farmEnd()
    welcome()
    await game.setTime(1200)
    pass(1000)
    expect(types()).toEqual(['hello'])
    hear({ type: 'look' })
    expect(types()).toEqual(['hello', 'event'])
    await game.setTime(1300)
    expect(types()).toEqual(['hello', 'event', 'event'])
    pass(121_000)
    const before = types().filter((type) => type === 'event').length
    await game.setTime(1400)
    expect(types().filter((type) => type === 'event')).toHaveLength(before)
  })

  test('every other change of the status is sent at once', async () => {
    const { said, game, welcome } = await farmEnd()
    welcome()
    const { playerCount } = await game.status()
    game.controls.leave(7n)
    expect(said.at(-1)?.event).toMatchObject({
      type: 'status_changed',
      status: { playerCount: playerCount - 1 },
    })
  })

  test('the health is sent before the status when the game goes offline, and after it when the game is back', async () => {
    const { said, game, welcome } = await farmEnd()
    welcome()
    const before = said.length
    game.controls.goOffline()
    game.controls.comeBack()
    expect(said.slice(before)).toEqual([
      { type: 'health', health: expect.objectContaining({ awaySince: expect.any(Number) }) },
      { type: 'event', event: expect.objectContaining({ type: 'status_changed' }) },
      { type: 'event', event: expect.objectContaining({ type: 'status_changed' }) },
      { type: 'health', health: expect.not.objectContaining({ awaySince: expect.anything() }) },
    ])
    expect(said.slice(before).map(({ event }) => event?.status?.isOnline)).toEqual([
      undefined,
      false,
      true,
      undefined,
    ])
  })

  test('events of a topic are sent only while it is followed', async () => {
    const { said, game, welcome, hear } = await farmEnd()
    const events = () => said.flatMap(({ event }) => (event === undefined ? [] : [event.type]))
    welcome()
    game.controls.join({ id: 8n, name: 'Zoë' })
    expect(events()).not.toContain('player_joined')
    hear({ type: 'watch', topics: ['players'] })
    game.controls.leave(8n)
    expect(events()).toContain('player_left')
  })

  test('the health is sent again only when it differs from what the edge calculates', async () => {
    const { types, game, welcome, connection } = await farmEnd()
    welcome()
    connection.check()
    expect(types()).not.toContain('health')
    game.controls.freeze()
    connection.check()
    connection.check()
    expect(types().filter((type) => type === 'health')).toHaveLength(1)
  })
})

describe('a slow edge', () => {
  test('gets the newest of the pending events and lines when it reads again', async () => {
    const { game, said, socket, lines, hear, welcome, pass } = await farmEnd()
    welcome()
    hear({ type: 'watch', topics: ['status'] })
    socket.buffered = 1_000_000
    for (const time of [1200, 1300, 1400]) await game.setTime(time)
    game.controls.say(7n, 'one')
    expect([said.some(({ event }) => event !== undefined), lines()]).toEqual([false, []])
    socket.buffered = 0
    pass(1000)
    expect(said.flatMap(({ event }) => (event ? [event.status?.timeOfDay] : []))).toEqual([1400])
    expect(lines()).toEqual([1])
  })

  test('that confirms no line gets 200 lines, and the farm keeps 2000', async () => {
    const { game, lines, hear, welcome } = await farmEnd()
    welcome()
    for (let line = 1; line <= 2500; line += 1) game.controls.say(7n, `line ${line}`)
    expect(lines()).toHaveLength(200)
    hear({ type: 'heard', n: 200 })
    // Lines that are no longer kept are not sent; all kept ones are, in order.
    for (let n = 200; lines().at(-1) !== 2500; ) {
      n = lines().at(-1) ?? n
      hear({ type: 'heard', n })
    }
    expect(lines().slice(200)).toEqual(Array.from({ length: 2000 }, (_, at) => 501 + at))
  })

  test.each([
    [256 * 1024, [1], ['status_changed']],
    [256 * 1024 + 1, [], []],
  ])(
    'with %i bytes pending in its socket gets the lines %j and the events %j',
    async (waiting, sentLines, sentEvents) => {
      const { game, socket, lines, events, welcome } = await farmEnd()
      welcome()
      socket.buffered = waiting
      game.controls.say(7n, 'one')
      game.controls.leave(7n)
      expect([lines(), events()]).toEqual([sentLines, sentEvents])
    },
  )

  test('with more than 16 MiB pending is disconnected at the next answer', async () => {
    const { closed, socket, hear, welcome, said } = await farmEnd()
    welcome()
    socket.buffered = 16 * 1024 * 1024
    hear({ type: 'call', id: 1, method: 'rendering', args: [] })
    await turn()
    expect([said.at(-1), closed]).toEqual([{ type: 'answer', id: 1 }, []])
    socket.buffered += 1
    hear({ type: 'call', id: 2, method: 'rendering', args: [] })
    await turn()
    expect([said.at(-1), closed]).toEqual([{ type: 'answer', id: 1 }, [[4429, 'The edge does not drain']]])
  })

  test('with more than 16 MiB pending is disconnected within a second, and once', async () => {
    const { closed, socket, welcome, pass } = await farmEnd()
    welcome()
    socket.buffered = 16 * 1024 * 1024 + 1
    pass(1000)
    pass(1000)
    expect(closed).toEqual([[4429, 'The edge does not drain']])
  })
})

const call = (id: number) => ({ type: 'call', id, method: 'rendering', args: [] }) as const
const notUnderstood = [4400, 'Not what this protocol says']
const flooded = [4429, 'Too many frames']

describe('the welcome', () => {
  test('opens the link, and the lines said before it are sent', async () => {
    const { game, hear, welcomes, lines } = await farmEnd()
    for (const line of ['one', 'two', 'three']) game.controls.say(7n, line)
    expect([welcomes(), lines()]).toEqual([0, []])
    hear({ type: 'welcome', generation: 5, heard: 1 })
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
    hear({ type: 'welcome', generation: 2, heard: 0 })
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
    hear({ type: 'call', id: 1, method: 'setTime', args: [1200] })
    connection.receive('garbage')
    const before = said.length
    const { writes } = game.controls
    for (let id = 2; id < 31_000; id += 1) {
      hear({ type: 'call', id, method: 'setTime', args: [1300] })
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
    hear({ type: 'call', id: 1, method: 'setTime', args: [1500] })
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
      farm.hear({ type: 'call', id, method: 'setTime', args: [1200] })
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
