/** The frames of the link: those that each end accepts. */
import { describe, expect, test } from 'vitest'
import {
  type EdgeFrame,
  type FarmFrame,
  frameText,
  maxHead,
  readEdgeFrame,
  readFarmFrame,
} from '../../../bridges/linked/protocol.ts'
import { neverSeen } from '../../../handlers/game-records.ts'
import { stringifyJson } from '../../../lib/json.ts'

const health = { gameAvailable: true, isFrozen: false, tickCount: 60, pace: 60, records: 'ok' } as const
const numbers = { from: 1, next: 1 }
const hello = { type: 'hello', version: 1, run: 'run of a test', status: neverSeen, health, numbers } as const
const player = { id: -(2n ** 63n), name: 'Abby', isOnline: true }
const cabins = {
  strategy: 'CabinStack',
  totalCount: 0,
  assignedCount: 0,
  availableCount: 0,
  cabins: [],
  savedPositionPlayerIds: [2n ** 63n - 1n],
}
const line = {
  type: 'line',
  n: 1,
  playerName: 'Abby',
  message: 'hi',
  timestamp: '2026-11-21T12:00:00.000Z',
} as const

const key = {
  id: 'k1',
  name: 'bot',
  scopes: ['read' as const, 'control' as const],
  digest: '0af9'.repeat(16),
}

const farmFrames: readonly FarmFrame[] = [
  hello,
  { ...hello, health: { ...health, awaySince: 5, lastTickMs: 0.5 } },
  { type: 'answer', id: 0 },
  { type: 'failure', id: 7, failure: { kind: 'not_ready' } },
  line,
  { type: 'event', event: { type: 'player_joined', player } },
  { type: 'event', event: { type: 'player_left', player } },
  { type: 'event', event: { type: 'status_changed', status: neverSeen } },
  { type: 'event', event: { type: 'rendering_changed', fps: 0 } },
  { type: 'event', event: { type: 'cabin_changed', cabins } },
  { type: 'health', health },
  { type: 'keys', keys: [] },
  { type: 'keys', keys: [key, { ...key, id: 'z'.repeat(32), scopes: [], expiresAt: 1795262400000 }] },
]
const edgeFrames: readonly EdgeFrame[] = [
  { type: 'welcome', generation: 1, heard: 0, newest: 0 },
  { type: 'call', id: 1, method: 'setTime', args: [1200] },
  { type: 'cancel', id: 1 },
  { type: 'heard', n: 1 },
  { type: 'watch', topics: ['players', 'status', 'cabins'] },
  { type: 'watch', topics: [] },
  { type: 'look' },
  { type: 'pong' },
]

describe('a frame is read as it was written, ids with every digit', () => {
  test.each(farmFrames.map((frame) => [frameText(frame), frame] as const))('of a farm: %s', (text, frame) => {
    expect(readFarmFrame(text)).toEqual({ frame })
    if (frame.type !== 'numbers') expect(readEdgeFrame(text)?.frame.type).toBe('unknown')
  })

  test.each(edgeFrames.map((frame) => [frameText(frame), frame] as const))(
    'of an edge: %s',
    (text, frame) => {
      expect(readEdgeFrame(text)).toEqual({ frame })
      if (frame.type !== 'numbers') expect(readFarmFrame(text)?.frame.type).toBe('unknown')
    },
  )
})

const without = (frame: object, member: string) =>
  Object.fromEntries(Object.entries(frame).filter(([name]) => name !== member))

test.each([...farmFrames, ...edgeFrames].map((frame) => [stringifyJson(frame), frame] as const))(
  'a frame that lacks one of its members is malformed: %s',
  (_text, frame) => {
    const read = farmFrames.some((one) => one === frame) ? readFarmFrame : readEdgeFrame
    for (const member of Object.keys(frame))
      expect([member, read(stringifyJson(without(frame, member)))]).toEqual([member, undefined])
  },
)

const failure = (what: object) => ({ type: 'failure', id: 1, failure: what })

test.each<[string, unknown]>([
  ['no object', []],
  ['a version that is not a number', { ...hello, version: '2' }],
  ['a run of 7 characters', { ...hello, run: 'x'.repeat(7) }],
  ['a run of 65 characters', { ...hello, run: 'x'.repeat(65) }],
  ['a negative id', { type: 'answer', id: -1 }],
  ['an id with a fraction', { type: 'answer', id: 1.5 }],
  ['an id that a double cannot hold', { type: 'answer', id: 2n ** 53n }],
  ['a failure that would fill the log', failure({ kind: 'bad_response', detail: 'x'.repeat(500_000) })],
  ['a wait of 1e300 s', failure({ kind: 'unavailable', retryAfter: 1e300 })],
  ['a status that is none', { type: 'event', event: { type: 'status_changed', status: { day: 'x' } } }],
  ['line 0', { ...line, n: 0 }],
  ['a line whose number is a text', { ...line, n: 'one' }],
  ['a line at no time', { ...line, timestamp: 'noon' }],
  ['a negative count of ticks', { type: 'health', health: { ...health, tickCount: -1 } }],
  ['a count of ticks that a double cannot hold', { type: 'health', health: { ...health, tickCount: 1e308 } }],
  ['a pace that cannot be calculated with', { type: 'health', health: { ...health, pace: 2 ** 60 } }],
])('%s is not a frame of a farm', (_what, frame) => {
  expect(readFarmFrame(stringifyJson(frame))).toBeUndefined()
})

const next = { type: 'later', what: ['more'] }
test.each<[string, object]>([
  ['a frame', next],
  ['an event', { type: 'event', event: next }],
  [
    'an event that the edge derives itself',
    { type: 'event', event: { type: 'ready_changed', isReady: true } },
  ],
  ['a chat line without a number', { type: 'event', event: { ...line, type: 'chat' } }],
  ['a failure', failure({ kind: 'later' })],
])('%s of another number is unknown, and has the number of its call', (_what, frame) => {
  const id = 'failure' in frame ? { id: 1 } : {}
  expect(readFarmFrame(stringifyJson(frame))).toEqual({ frame: { type: 'unknown', ...id } })
  expect(readEdgeFrame(stringifyJson({ ...next, id: 7 }))).toEqual({ frame: { type: 'unknown', id: 7 } })
})

test("a frame that belongs to a call has the call's number in id, and no other frame has id", () => {
  const withId = [...farmFrames, ...edgeFrames].filter((frame) => 'id' in frame).map(({ type }) => type)
  expect([...new Set(withId)].sort()).toEqual(['answer', 'call', 'cancel', 'failure'])
})

test.each([
  'garbage',
  '',
  '\n',
  '\n{"type":"look"}',
  '\n{"type":"answer","id":1}',
  '{"type":"health"',
  '"hello"',
  'null',
])('text that is not a JSON object is not a frame of either end: %j', (text) => {
  expect([readFarmFrame(text), readEdgeFrame(text)]).toEqual([undefined, undefined])
})

test('a name of a process has 8 to 64 characters', () => {
  for (const length of [8, 64])
    expect(readFarmFrame(frameText({ ...hello, run: 'x'.repeat(length) }))).toBeDefined()
})

describe('the second line', () => {
  test.each(['{"fps":30}', '', 'one\ntwo', 'not JSON'])('of an answer arrives unchanged: %j', (body) => {
    const frame = { type: 'answer', id: 1 } as const
    expect(readFarmFrame(frameText(frame, body))).toEqual({ frame, body })
  })

  test('makes every other frame malformed', () => {
    for (const frame of farmFrames.filter(({ type }) => type !== 'answer'))
      expect([frame.type, readFarmFrame(frameText(frame, '1'))]).toEqual([frame.type, undefined])
    for (const frame of edgeFrames)
      expect([frame.type, readEdgeFrame(frameText(frame, '1'))]).toEqual([frame.type, undefined])
  })
})

describe('bounds', () => {
  const ofLength = (units: number) => {
    const rest = frameText({ ...line, message: '' }).length
    return frameText({ ...line, message: 'x'.repeat(units - rest) })
  }

  test('the first line has at most 512 Ki UTF-16 units, the second can have more', () => {
    expect(ofLength(maxHead)).toHaveLength(512 * 1024)
    expect(readFarmFrame(ofLength(maxHead))?.frame.type).toBe('line')
    expect(readFarmFrame(ofLength(maxHead + 1))).toBeUndefined()
    const body = JSON.stringify('x'.repeat(maxHead))
    expect(readFarmFrame(frameText({ type: 'answer', id: 1 }, body))?.body).toBe(body)
  })

  test('JSON nested deeper than 64 levels or with more than 5,000 values is malformed', () => {
    const call = (args: string) => readEdgeFrame(`{"type":"call","id":1,"method":"reload","args":${args}}`)
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
    expect([call(nested(63))?.frame.type, call(nested(64))]).toEqual(['call', undefined])
    const values = (count: number) => `[${Array(count).fill(0)}]`
    expect([call(values(4_900))?.frame.type, call(values(5_000))]).toEqual(['call', undefined])
  })
})
