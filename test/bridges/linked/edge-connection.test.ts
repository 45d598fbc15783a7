/** One link at the edge: its hello, its lines, and the edge's requests to the farm. */
import { describe, expect, test } from 'vitest'
import { type CallKind, edgeLimits } from '../../../bridges/linked/farm-end/edge-limits.ts'
import { gameReads } from '../../../handlers/game-abilities.ts'
import { neverSeen } from '../../../handlers/game-records.ts'
import { type LogLine, recorder } from '../../logs.ts'
import { manualClock } from '../manual-clock.ts'
import { edgeEnd, health, hello, openEdgeEnd, run } from './edge-end.ts'

const timestamp = '2026-11-21T12:00:00.000Z'
const line = (n: number, message = `line ${n}`) =>
  ({ type: 'line', n, playerName: 'Abby', message, timestamp }) as const
const notUnderstood = [4400, 'Not what this protocol says']

describe('the hello', () => {
  test('opens the link: the welcome has its generation and what is stored of its lines', () => {
    const { connection, hear, sent, taken } = edgeEnd({ generation: 5 })
    expect(connection.isOpen).toBe(false)
    hear(hello)
    expect(connection.isOpen).toBe(true)
    expect(sent()).toEqual([{ type: 'welcome', generation: 5, heard: 17, newest: 19 }])
    expect(taken()).toEqual([
      ['onState', { generation: 5, run }],
      ['stored', hello],
      ['onHello', hello],
    ])
  })

  test('is due within 10 s: then the link is closed with 4408 and dropped', () => {
    const { clock, closed, taken } = edgeEnd()
    clock.advance(9999)
    expect(closed).toEqual([])
    clock.advance(1)
    expect([closed, taken()]).toEqual([[[4408, 'No hello']], [['onGivenUp', 4408]]])
  })

  test('in time stops its timer', () => {
    const { clock, closed } = openEdgeEnd()
    clock.advance(60_000)
    expect(closed).toEqual([])
  })

  test('is not awaited after the link is dropped', () => {
    const { clock, closed, connection } = edgeEnd()
    connection.stop()
    clock.advance(60_000)
    expect(closed).toEqual([])
  })

  test('is not awaited after hibernation: the link is open, and its next frame is accepted', () => {
    const { connection, clock, closed, hear, taken, sent } = edgeEnd({ generation: 3, run })
    expect(connection.isOpen).toBe(true)
    clock.advance(20_000)
    hear({ type: 'health', health })
    connection.stop()
    expect([closed, taken(), sent()]).toEqual([[], [['onHealth', health]], []])
  })

  test('is the first frame: any other before it breaks the protocol', () => {
    for (const frame of [{ type: 'health', health }, { type: 'answer', id: 999 }, line(1)] as const) {
      const { hear, closed, taken, connection } = edgeEnd()
      hear(frame)
      expect([closed, taken(), connection.isOpen]).toEqual([[notUnderstood], [['onGivenUp', 4400]], false])
    }
  })

  test('is sent once: a second one breaks the protocol', () => {
    const { hear, closed, taken, sent } = openEdgeEnd()
    hear({ ...hello, run: 'another run' })
    expect([closed, taken(), sent()]).toEqual([[notUnderstood], [['onGivenUp', 4400]], []])
  })
})

describe('a chat line', () => {
  test('is delivered with its number, and confirmed', () => {
    const { hear, taken, sent } = openEdgeEnd()
    hear(line(1))
    const { playerName, message } = line(1)
    expect(taken()).toEqual([['onLine', run, 1, { type: 'chat', playerName, message, timestamp }]])
    expect(sent()).toEqual([{ type: 'heard', n: 1 }])
  })

  test('that arrives again is confirmed again', () => {
    const { hear, sent } = openEdgeEnd()
    for (const n of [1, 2, 1]) hear(line(n))
    expect(sent()).toEqual([1, 2, 1].map((n) => ({ type: 'heard', n })))
  })
})

describe('the number of the next line', () => {
  const ask = { type: 'numbers' }

  test('is requested from the farm, and delivered', () => {
    const { connection, hear, sent, taken } = openEdgeEnd()
    connection.askNumbers()
    hear({ type: 'numbers', next: 9 })
    expect([sent(), taken().at(-1)]).toEqual([[ask], ['onNumbers', 9]])
  })

  test('is requested again after the pending answer, and only the later answer is delivered', () => {
    const { connection, hear, sent, taken } = edgeEnd({ generation: 3, run })
    for (let time = 0; time < 3; time += 1) connection.askNumbers()
    expect(sent()).toEqual([ask])
    hear({ type: 'numbers', next: 9 })
    expect([sent(), taken()]).toEqual([[ask], []])
    hear({ type: 'numbers', next: 10 })
    expect([sent(), taken()]).toEqual([[], [['onNumbers', 10]]])
    connection.askNumbers()
    expect(sent()).toEqual([ask])
  })
})

test('statuses, healths and events are delivered, each as its kind', () => {
  const { hear, taken, sent } = openEdgeEnd()
  const status = { ...neverSeen, day: 2 }
  const event = { type: 'rendering_changed', fps: 30 } as const
  hear({ type: 'event', event: { type: 'status_changed', status } })
  hear({ type: 'event', event })
  hear({ type: 'health', health: { ...health, isFrozen: true } })
  expect(taken()).toEqual([
    ['onStatus', status],
    ['onEvent', event],
    ['onHealth', { ...health, isFrozen: true }],
  ])
  expect(sent()).toEqual([])
})

describe("the farm's last sign of life", () => {
  test('is its last frame or its last heartbeat, whichever is later', () => {
    const { connection, clock, heartbeat, hear } = openEdgeEnd()
    const start = clock.now()
    clock.advance(5000)
    hear({ type: 'health', health })
    expect(connection.lastSeenAt()).toBe(start + 5000)
    heartbeat.at = start + 12_000
    expect(connection.lastSeenAt()).toBe(start + 12_000)
  })

  test('is its last heartbeat, after hibernation', () => {
    const { connection, clock } = edgeEnd({ generation: 3, run })
    expect(connection.lastSeenAt()).toBe(clock.now())
  })
})

describe('a look', () => {
  const looks = (sent: readonly unknown[]) =>
    sent.filter((frame) => (frame as { type: string }).type === 'look')

  test('is sent when a client reads the status, at most once a minute', () => {
    const { connection, clock, sent } = openEdgeEnd()
    connection.look()
    connection.look()
    clock.advance(59_999)
    connection.look()
    expect(looks(sent())).toEqual([{ type: 'look' }])
    clock.advance(1)
    connection.look()
    expect(looks(sent())).toHaveLength(1)
  })

  test('is not sent within a minute of a call, which counts as one', () => {
    const { connection, clock, sent, hear } = openEdgeEnd()
    void connection.call('rendering', gameReads.rendering, [])
    hear({ type: 'answer', id: 1000 }, '30')
    clock.advance(59_999)
    connection.look()
    expect(looks(sent())).toEqual([])
  })
})

describe('a watch', () => {
  test('is sent when the followed topics change, and not again', () => {
    const { connection, sent } = openEdgeEnd()
    connection.watch(['players', 'cabins'])
    connection.watch(['players', 'cabins'])
    connection.watch(['players'])
    connection.watch([])
    connection.watch([])
    expect(sent()).toEqual([
      { type: 'watch', topics: ['players', 'cabins'] },
      { type: 'watch', topics: ['players'] },
      { type: 'watch', topics: [] },
    ])
  })

  test('is not sent when no topic was ever followed', () => {
    const { connection, sent } = openEdgeEnd()
    connection.watch([])
    expect(sent()).toEqual([])
  })

  test('is sent after the hello, not before', () => {
    const { connection, sent, hear } = edgeEnd()
    connection.watch(['status'])
    expect(sent()).toEqual([])
    hear(hello)
    connection.watch(['status'])
    expect(sent().at(-1)).toEqual({ type: 'watch', topics: ['status'] })
  })
})

function limited(rates = { reads: 0, writes: 0 }) {
  const clock = manualClock()
  const lines: LogLine[] = []
  const limits = edgeLimits(rates, recorder(lines), clock.now)
  return {
    limits,
    clock,
    lines,
    /** Makes calls that end at once. @returns how many were made before the first refusal */
    madeOf(kind: CallKind, atMost = 10_000) {
      let made = 0
      while (made < atMost && limits.refusalOf(kind) === undefined) {
        limits.callEnded()
        made += 1
      }
      return made
    },
  }
}

describe('calls a minute', () => {
  test('are limited to ten times the rate of one client of the HTTP API, each kind separately', () => {
    const { madeOf } = limited({ reads: 30, writes: 2 })
    expect([madeOf('reads'), madeOf('writes'), madeOf('chat')]).toEqual([300, 20, 3600])
  })

  test('for the records are limited to one for each write and chat line', () => {
    expect(limited({ reads: 30, writes: 2 }).madeOf('records', 20_000)).toBe(20 + 3600)
    expect(limited().madeOf('records', 20_000)).toBe(20_000)
  })

  test('are unlimited for a rate of 0, except chat lines', () => {
    const { madeOf } = limited()
    expect([madeOf('reads'), madeOf('writes'), madeOf('chat')]).toEqual([10_000, 10_000, 3600])
  })

  test('become available again with time, and a refusal says in how many seconds', () => {
    const { limits, madeOf, clock } = limited({ reads: 0, writes: 1 })
    expect(madeOf('writes')).toBe(10)
    expect(limits.refusalOf('writes')).toEqual({
      kind: 'unavailable',
      because: 'rate_limited',
      retryAfter: 6,
    })
    clock.advance(6000)
    expect(madeOf('writes')).toBe(1)
    clock.advance(60_000)
    expect(madeOf('writes')).toBe(10)
  })
})

describe('concurrent calls', () => {
  test('are limited to 256 of all kinds together, and a finished one makes room for another', () => {
    const { limits } = limited()
    for (let call = 0; call < 128; call += 1)
      expect([limits.refusalOf('reads'), limits.refusalOf('writes')]).toEqual([undefined, undefined])
    expect(limits.refusalOf('chat')).toEqual({ kind: 'unavailable' })
    limits.callEnded()
    expect(limits.refusalOf('chat')).toBeUndefined()
    expect(limits.refusalOf('reads')).toEqual({ kind: 'unavailable' })
  })

  test('do not include refused calls', () => {
    const { limits, clock } = limited({ reads: 1, writes: 0 })
    for (let call = 0; call < 1000; call += 1) limits.refusalOf('reads')
    for (let call = 0; call < 246; call += 1) expect(limits.refusalOf('writes')).toBeUndefined()
    clock.advance(60_000)
    expect(limits.refusalOf('reads')).toEqual({ kind: 'unavailable' })
  })
})

test('frames are 30,000 a minute', () => {
  const { limits, clock } = limited()
  const taken = () => {
    let count = 0
    while (count < 40_000 && limits.takesFrame()) count += 1
    return count
  }
  expect(taken()).toBe(30_000)
  clock.advance(1000)
  expect(taken()).toBe(500)
})

test('refused calls are counted, and logged at most once a minute', () => {
  const { limits, lines, clock, madeOf } = limited({ reads: 1, writes: 0 })
  limits.report()
  expect(lines).toEqual([])
  madeOf('reads')
  for (let call = 0; call < 4; call += 1) limits.refusalOf('reads')
  limits.report()
  const line = (calls: number) => ({
    level: 'warn',
    fields: { calls },
    message: 'calls of the edge were refused: more than the farm takes',
  })
  expect(lines).toEqual([line(5)])
  limits.refusalOf('reads')
  clock.advance(59_999)
  limits.report()
  expect(lines).toHaveLength(1)
  clock.advance(1)
  limits.report()
  expect(lines).toEqual([line(5), line(1)])
})
