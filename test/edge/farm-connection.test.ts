/** What the farm sends over the link, and how much it keeps in memory, for any behaviour of the edge. */
import * as v from 'valibot'
import { describe, expect, test, vi } from 'vitest'
import { endpoints } from '../../handlers/endpoints/all-endpoints.ts'
import { gameFailure } from '../../handlers/game-error.ts'
import type { Status } from '../../handlers/game-records.ts'
import { readQuery } from '../../handlers/parameter.ts'
import { problemOf } from '../../handlers/problem.ts'
import { ChatOutbox, maxKept } from '../../runtime/link/chat-outbox.ts'
import { edgeLimits } from '../../runtime/link/edge-limits.ts'
import { farmConnection } from '../../runtime/link/farm-connection.ts'
import { frameText, readFarmFrame } from '../../runtime/link/protocol.ts'
import { rpcServer } from '../../runtime/link/rpc-server.ts'
import { silent } from '../logs.ts'
import { eventually } from '../wait.ts'
import { steeredFarm } from './edge-server.ts'

interface Said {
  readonly type: string
  readonly id?: number
  readonly n?: number
  readonly failure?: unknown
  readonly event?: { readonly type: string; readonly status?: Status }
}

async function linked() {
  const game = steeredFarm()
  game.controls.join({ id: 7n, name: 'Abby' })
  const said: Said[] = []
  const closed: number[] = []
  const socket = {
    buffered: 0,
    send: (text: string) => void said.push(JSON.parse(text.split('\n')[0] ?? '')),
    close: (code: number) => void closed.push(code),
  }
  const outbox = new ChatOutbox()
  let clock = 0
  const monotonic = () => clock
  const limits = edgeLimits({ reads: 0, writes: 0 }, silent, monotonic)
  const connection = farmConnection(socket, {
    game,
    calls: rpcServer({ game, limits, log: silent, monotonic }),
    limits,
    outbox,
    run: 'run of a test',
    status: await game.status(),
    onWelcome: () => undefined,
    monotonic,
  })
  game.subscribe((event) => {
    if (event.type === 'chat') outbox.add(event)
    connection.event(event)
  })
  const hear = (frame: Parameters<typeof frameText>[0]) => connection.receive(frameText(frame))
  return {
    game,
    said,
    closed,
    socket,
    connection,
    hear,
    welcome: () => hear({ type: 'welcome', generation: 1, heard: 0 }),
    types: () => said.map(({ type }) => type),
    lines: () => said.flatMap(({ type, n }) => (type === 'line' ? [n] : [])),
    pass(milliseconds: number) {
      clock += milliseconds
      connection.check()
    },
  }
}

describe('what the farm sends', () => {
  test('hello is the first frame, and nothing follows before the welcome of the edge', async () => {
    const { types, game, pass } = await linked()
    game.controls.say(7n, 'hello?')
    await game.setTime(1200)
    pass(1000)
    expect(types()).toEqual(['hello'])
  })

  test('changes of the clock are sent only while the status is being looked at', async () => {
    const { types, game, welcome, hear, pass } = await linked()
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
    const { said, game, welcome } = await linked()
    welcome()
    const { playerCount } = await game.status()
    game.controls.leave(7n)
    expect(said.at(-1)?.event).toMatchObject({
      type: 'status_changed',
      status: { playerCount: playerCount - 1 },
    })
  })

  test('the health is sent before the status when the game goes away, and after it when the game is back', async () => {
    const { said, game, welcome } = await linked()
    welcome()
    const before = said.length
    game.controls.goAway()
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

  test('events of a topic are sent only while it is watched', async () => {
    const { said, game, welcome, hear } = await linked()
    const events = () => said.flatMap(({ event }) => (event === undefined ? [] : [event.type]))
    welcome()
    game.controls.join({ id: 8n, name: 'Zoë' })
    expect(events()).not.toContain('player_joined')
    hear({ type: 'watch', topics: ['players'] })
    game.controls.leave(8n)
    expect(events()).toContain('player_left')
  })

  test('the health is sent again only when it differs from what the edge calculates', async () => {
    const { types, game, welcome, connection } = await linked()
    welcome()
    connection.check()
    expect(types()).not.toContain('health')
    game.controls.freeze()
    connection.check()
    connection.check()
    expect(types().filter((type) => type === 'health')).toHaveLength(1)
  })
})

describe('calls', () => {
  test('are answered by their ids, in the order in which the game answers', async () => {
    const { game, said, hear, welcome } = await linked()
    welcome()
    game.controls.freeze()
    hear({ type: 'call', id: 1, method: 'setTime', args: [1200] })
    hear({ type: 'call', id: 2, method: 'rendering', args: [] })
    await eventually(() => expect(said.at(-1)).toMatchObject({ type: 'answer', id: 2 }))
    game.controls.thaw()
    await eventually(() => expect(said.findLast(({ type }) => type === 'answer')).toMatchObject({ id: 1 }))
  })

  test('are not answered after a cancel', async () => {
    const { game, said, hear, welcome } = await linked()
    welcome()
    game.controls.freeze()
    hear({ type: 'call', id: 1, method: 'setTime', args: [1200] })
    hear({ type: 'cancel', id: 1 })
    game.controls.thaw()
    hear({ type: 'call', id: 2, method: 'rendering', args: [] })
    await eventually(() => expect(said.at(-1)).toMatchObject({ type: 'answer', id: 2 }))
    expect(said.some(({ id }) => id === 1)).toBe(false)
  })

  test('of unknown methods or with invalid arguments end as failures, and do not reach the game', async () => {
    const { game, said, hear, welcome } = await linked()
    welcome()
    const before = game.controls.writes
    hear({ type: 'call', id: 1, method: 'constructor', args: [] })
    hear({ type: 'call', id: 2, method: 'setTime', args: ['noon'] })
    hear({ type: 'call', id: 3, method: 'deleteFarmhand', args: [{ id: 1.5, label: 'x' }] })
    await eventually(() => expect(said.filter(({ type }) => type === 'failure')).toHaveLength(3))
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
      const { game, said, hear, welcome } = await linked()
      welcome()
      const before = game.controls.writes
      hear({ type: 'call', id: 1, method, args })
      await eventually(() => expect(said.at(-1)?.type).toBe('failure'))
      const { failure } = said.at(-1) ?? {}
      const endpoint = endpoints.find((one) => one.path === path && one.method === 'POST')
      expect(() => readQuery(endpoint?.parameters ?? {}, query)).toThrow(
        problemOf(v.parse(gameFailure, failure)).message,
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
    ['nobody as author', { author: '', message: 'hi' }, /author must have 1 to 32/],
    ['a line break', { author: 'Bot', message: 'one\ntwo' }, /a line must have .*control character/],
    ['a line separator', { author: 'Bot\u2028', message: 'hi' }, /author must have .*control character/],
  ])('of sendChat with %s are refused, and do not reach the game', async (_what, line, words) => {
    const { game, said, hear, welcome } = await linked()
    welcome()
    hear({ type: 'call', id: 1, method: 'sendChat', args: [line] })
    await eventually(() => expect(said.at(-1)?.type).toBe('failure'))
    const problem = problemOf(v.parse(gameFailure, said.at(-1)?.failure))
    expect([problem.status, problem.message]).toEqual([400, expect.stringMatching(words)])
    expect(game.controls.chatRelayed).toEqual([])
  })

  test('of diagnostics with a query that the HTTP API does not pass on are refused, and do not reach the game', async () => {
    const { game, said, hear, welcome } = await linked()
    const diagnostics = vi.spyOn(game, 'diagnostics')
    welcome()
    const queries = [[['other', '1']], [['masterFlag', 'x'.repeat(4097)]], Array(4).fill(['masterFlag', 'x'])]
    for (const [id, query] of queries.entries())
      hear({ type: 'call', id, method: 'diagnostics', args: [query] })
    await eventually(() => expect(said.filter(({ type }) => type === 'failure')).toHaveLength(queries.length))
    for (const { failure } of said.filter(({ type }) => type === 'failure'))
      expect(failure).toMatchObject({ kind: 'invalid_argument' })
    expect(diagnostics).not.toHaveBeenCalled()
  })

  test('that fail report whether a write may have been made', async () => {
    const { game, said, hear, welcome } = await linked()
    welcome()
    game.controls.fallSilent()
    hear({ type: 'call', id: 1, method: 'setTime', args: [1200] })
    game.controls.goAway()
    await eventually(() =>
      expect(said.find(({ type }) => type === 'failure')).toEqual({
        type: 'failure',
        id: 1,
        failure: { kind: 'timeout', write: true },
      }),
    )
    const sent = frameText({
      type: 'failure',
      id: 1,
      failure: { kind: 'bad_response', detail: 'status 500', write: true },
    })
    expect(readFarmFrame(sent)?.frame).toEqual(JSON.parse(sent))
  })

  test('beyond 256 at a time are refused', async () => {
    const { game, said, hear, welcome } = await linked()
    welcome()
    game.controls.freeze()
    for (let id = 1; id <= 1000; id += 1) hear({ type: 'call', id, method: 'setTime', args: [1200] })
    await eventually(() => expect(said.filter(({ type }) => type === 'failure')).toHaveLength(744))
    expect(game.health().pendingActions).toBe(256)
    await game.close()
  })
})

describe('a slow edge', () => {
  test('is sent the newest of the waiting events and lines when it reads again', async () => {
    const { game, said, socket, lines, hear, welcome, pass } = await linked()
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

  test('that confirms no line is sent 200 lines, and the farm keeps 2000', async () => {
    const { game, lines, hear, welcome } = await linked()
    welcome()
    for (let line = 1; line <= 2500; line += 1) game.controls.say(7n, `line ${line}`)
    expect(lines()).toHaveLength(200)
    hear({ type: 'heard', n: 200 })
    // Dropped lines are not sent; all kept ones are, in order.
    for (let n = 200; lines().at(-1) !== 2500; ) {
      n = lines().at(-1) ?? n
      hear({ type: 'heard', n })
    }
    const sent = lines()
    expect(sent.slice(200)).toEqual(Array.from({ length: maxKept }, (_, at) => 501 + at))
  })

  test('that reads nothing is disconnected', async () => {
    const { closed, socket, hear, welcome } = await linked()
    welcome()
    socket.buffered = 32 * 1024 * 1024
    hear({ type: 'call', id: 1, method: 'rendering', args: [] })
    await eventually(() => expect(closed).toEqual([4429]))
  })

  test('that sends an invalid frame is disconnected', async () => {
    const { closed, connection } = await linked()
    connection.receive('garbage')
    expect(closed).toEqual([4400])
  })
})
