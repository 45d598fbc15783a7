/** A farm that floods the edge, sends impossible frames, or answers unknown calls. */
import { describe, expect, test } from 'vitest'
import { frameText, maxFarmFrame } from '../../../bridges/linked/protocol.ts'
import { abilities } from '../../../handlers/game-abilities.ts'
import { failureOf } from '../contract/expectations.ts'
import { type edgeEnd, health, openEdgeEnd } from './edge-end.ts'

const notUnderstood = [4400, 'Not what this protocol says']
const flooded = [4429, 'Too many frames']

describe('answers', () => {
  test('reach the calls of their ids, and each shows that the game is online', async () => {
    const { connection, hear, sent, taken } = openEdgeEnd()
    const call = connection.call('rendering', abilities.rendering, [])
    expect(sent()).toEqual([{ type: 'call', id: 1000, method: 'rendering', args: [] }])
    hear({ type: 'answer', id: 1000 }, '30')
    expect([await call, taken()]).toEqual([30, [['onAnswer']]])
  })

  test('that are failures do too', async () => {
    const { connection, hear } = openEdgeEnd()
    const call = failureOf(connection.call('rendering', abilities.rendering, []))
    hear({ type: 'failure', id: 1000, failure: { kind: 'not_ready' } })
    expect(await call).toEqual({ kind: 'not_ready' })
  })

  test('to a call over a closed socket do not exist: the call was not sent', async () => {
    const { connection, socket } = openEdgeEnd()
    socket.isOpen = false
    expect(await failureOf(connection.call('setTime', abilities.setTime, [1200]))).toEqual({
      kind: 'unavailable',
    })
  })

  test('that arrive twice or too late, also to calls from before hibernation, are ignored', async () => {
    const { connection, hear, closed } = openEdgeEnd()
    const call = connection.call('rendering', abilities.rendering, [])
    hear({ type: 'answer', id: 1000 }, '30')
    hear({ type: 'answer', id: 1000 }, '99')
    hear({ type: 'failure', id: 1000, failure: { kind: 'not_ready' } })
    hear({ type: 'answer', id: 7 }, '99')
    expect([await call, closed]).toEqual([30, []])
  })

  test.each([
    { type: 'answer', id: 1001 },
    { type: 'failure', id: 1001, failure: { kind: 'not_ready' } },
  ] as const)('to an unused id break the protocol: $type', (frame) => {
    const { connection, hear, closed, taken } = openEdgeEnd()
    connection.call('rendering', abilities.rendering, []).catch(() => undefined)
    hear(frame)
    expect([closed, taken().at(-1)]).toEqual([[notUnderstood], ['onGivenUp']])
  })
})

test.each(['garbage', '', '{"type":"root"}', '[]', '{"type":"welcome","generation":1,"heard":0}'])(
  'a frame that no farm sends breaks the protocol: %j',
  (text) => {
    const { connection, closed, taken } = openEdgeEnd()
    connection.receive(text)
    expect([closed, taken()]).toEqual([[notUnderstood], [['onGivenUp']]])
  },
)

describe('a frame', () => {
  const answerOf = (length: number) => {
    const head = frameText({ type: 'answer', id: 1 }, '')
    return head + 'x'.repeat(length - head.length)
  }

  test('of 8 Mi UTF-16 units is read', () => {
    const { connection, closed } = openEdgeEnd()
    connection.receive(answerOf(maxFarmFrame))
    expect(closed).toEqual([])
  })

  test('of one unit more is closed with 1009 and not read', () => {
    const { connection, closed, taken } = openEdgeEnd()
    connection.receive(answerOf(8 * 1024 * 1024 + 1))
    expect([closed, taken()]).toEqual([[[1009, 'Frame too long']], [['onGivenUp']]])
  })
})

describe('a flood', () => {
  const timestamp = '2026-11-21T12:00:00.000Z'
  const frames = {
    lines: { type: 'line', n: 1, playerName: 'Abby', message: 'hi', timestamp },
    healths: { type: 'health', health },
    events: { type: 'event', event: { type: 'rendering_changed', fps: 30 } },
    'late answers': { type: 'answer', id: 1 },
    'late failures': { type: 'failure', id: 1, failure: { kind: 'not_ready' } },
  } as const
  const kinds = Object.keys(frames) as (keyof typeof frames)[]
  /** Sends frames until the link is closed, at most 5000. @returns how many were accepted */
  const taken = ({ hear, closed }: ReturnType<typeof edgeEnd>, kind: keyof typeof frames) => {
    let count = 0
    while (closed.length === 0 && count < 5000) {
      hear(frames[kind])
      if (closed.length === 0) count += 1
    }
    return count
  }

  test.each(kinds)('of %s is closed with 4429 after 3000 at once', (kind) => {
    const end = openEdgeEnd()
    expect(taken(end, kind)).toBe(3000)
    expect([end.closed, end.taken().at(-1)]).toEqual([[flooded], ['onGivenUp']])
  })

  test('means more than 100 a second on average', () => {
    const end = openEdgeEnd()
    for (let frame = 0; frame < 2900; frame += 1) end.hear(frames.healths)
    end.clock.advance(1500)
    expect(taken(end, 'healths')).toBe(250)
  })

  test('cannot be saved up by a quiet farm: 3000 at once are the limit', () => {
    const end = openEdgeEnd()
    end.clock.advance(3_600_000)
    expect(taken(end, 'healths')).toBe(3000)
  })

  test('does not count answers in time', async () => {
    const end = openEdgeEnd()
    for (let id = 1000; id < 6000; id += 1) {
      const call = end.connection.call('rendering', abilities.rendering, [])
      end.hear({ type: 'answer', id }, '30')
      await call
    }
    expect(end.closed).toEqual([])
    expect(taken(end, 'healths')).toBe(3000)
  })
})
