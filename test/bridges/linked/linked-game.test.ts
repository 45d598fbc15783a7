/** The game at the edge, over links whose farm is the test. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { linkedGame } from '../../../bridges/linked/edge-end/linked-game.ts'
import { type FarmFrame, frameText, maxFarmFrame } from '../../../bridges/linked/protocol.ts'
import { topics } from '../../../handlers/chat/messages.ts'
import { gameReads } from '../../../handlers/game-abilities.ts'
import type { RoomEvent } from '../../../handlers/game-event.ts'
import { neverSeen } from '../../../handlers/game-records.ts'
import { Stream } from '../../../handlers/stream.ts'
import { lawnEndpoints } from '../../edge/lawn.ts'
import { memoryStore } from '../../edge/memory-store.ts'
import { failureOf } from '../contract/expectations.ts'
import { manualClock } from '../manual-clock.ts'
import { type edgeEnd, health, hello, openEdgeEnd } from './edge-end.ts'

const status = { ...neverSeen, isOnline: true, farmName: 'Clover', lastUpdated: '2026-11-21T12:00:00.000Z' }
const player = { id: 7n, name: 'Abby', isOnline: true }
const unavailable = { failure: { kind: 'unavailable' } }

function anEdge({ isResumed = false } = {}) {
  const clock = manualClock()
  const mayStore: boolean[] = []
  const store = {
    ...memoryStore(undefined, clock.now),
    keepChat: (keeps: boolean) => void mayStore.push(keeps),
  }
  const { now, after } = clock
  const edge = linkedGame({ store, isResumed, now, after, firstCall: 1 })
  onTestFinished(() => edge.close())
  /** The farm opens its socket, and says hello unless the test sends another first frame. */
  const link = (first: object | null = {}) => {
    const sent: Readonly<Record<string, unknown>>[] = []
    const closed: unknown[] = []
    const openedAt = clock.now()
    const socket = {
      send: (text: string) => sent.push(JSON.parse(text)) > 0,
      close: (code: number, reason: string) => void closed.push([code, reason]),
      lastSeen: () => openedAt,
    }
    edge.connected(socket, { generation: 1 }, () => {})
    const hear = (frame: FarmFrame, body?: string) => edge.received(socket, frameText(frame, body))
    if (first !== null) hear({ ...hello, status, ...first })
    return {
      socket,
      sent,
      closed,
      hear,
      frames: (type: string) => sent.filter((frame) => frame['type'] === type),
    }
  }
  return { clock, mayStore, edge, link }
}

const silentLink = null

test('a subscriber needs every topic from the farm; without one, only the followed topics are requested', () => {
  const { edge, link } = anEdge()
  const { frames } = link()
  expect(frames('watch')).toEqual([])
  edge.hear(() => {})
  edge.watch(['status'])
  const unsubscribe = edge.subscribe(() => {})
  unsubscribe()
  expect(frames('watch').map(({ topics: asked }) => asked)).toEqual([['status'], topics, ['status']])
})

test('a new link requests the topics that were followed before it', () => {
  const { edge, link } = anEdge()
  edge.watch(['status'])
  expect(link().frames('watch')).toEqual([{ type: 'watch', topics: ['status'] }])
})

test('a listener gets gaps, log lines and events; a subscriber gets only the events of the game', () => {
  const { edge, link } = anEdge()
  const heard: RoomEvent['type'][] = []
  const subscribed: RoomEvent['type'][] = []
  const stop = edge.hear(({ type }) => heard.push(type))
  edge.subscribe(({ type }) => subscribed.push(type))
  const { hear } = link({ numbers: { from: 5, next: 9 } })
  const line = { type: 'line', playerName: 'Abby', message: 'hi', timestamp: status.lastUpdated } as const
  hear({ ...line, n: 5 })
  hear({ ...line, n: 8 })
  hear({ type: 'event', event: { type: 'player_joined', player } })
  expect(heard.slice(-4)).toEqual(['chat', 'gap', 'chat', 'player_joined'])
  expect(subscribed.slice(-3)).toEqual(['chat', 'chat', 'player_joined'])
  stop()
  hear({ type: 'event', event: { type: 'player_left', player } })
  expect([heard.at(-1), subscribed.at(-1)]).toEqual(['player_joined', 'player_left'])
})

test('a listener that removes another one during an event does not keep it from a third one', () => {
  const { edge, link } = anEdge()
  const got: string[] = []
  const ends: (() => void)[] = []
  ends.push(edge.hear(() => void ends.forEach((end) => void end())))
  ends.push(edge.hear(() => void got.push('second')))
  edge.hear(() => void got.push('third'))
  const { hear } = link()
  got.length = 0
  hear({ type: 'event', event: { type: 'player_joined', player } })
  expect(got).toEqual(['third'])
})

test('the farm decides whether the text of its lines can be stored', () => {
  const { link, mayStore } = anEdge()
  link()
  link({ keepsChat: false })
  expect(mayStore).toEqual([true, false])
})

test('a health from the farm changes the status that clients see, and makes an event', async () => {
  const { edge, link } = anEdge()
  const online: boolean[] = []
  edge.hear((event) => event.type === 'status_changed' && online.push(event.status.isOnline))
  const { hear } = link()
  hear({ type: 'health', health: { ...health, gameAvailable: false, awaySince: 1 } })
  expect(online).toEqual([true, false])
  expect([(await edge.status()).isOnline, edge.health().gameAvailable]).toEqual([false, false])
})

test("reading the status requests the farm's changes; reading the last status does not", async () => {
  const { edge, link, clock } = anEdge()
  const { frames } = link()
  clock.advance(60_000)
  link()
  expect(edge.lastStatus()).toMatchObject({ farmName: 'Clover' })
  expect(frames('look')).toEqual([])
  const newest = link()
  await edge.status()
  expect(newest.frames('look')).toHaveLength(1)
})

test('without a link a read is unavailable, a record names the records, and the last status is still answered', async () => {
  const { edge } = anEdge()
  await expect(edge.players()).rejects.toMatchObject(unavailable)
  await expect(edge.records.usedKey('0a')).rejects.toMatchObject({
    failure: { kind: 'unavailable', of: 'records' },
  })
  expect(await edge.status()).toEqual(neverSeen)
  expect([edge.records.state(), edge.health().pendingActions]).toEqual(['failed', 0])
})

test('the health counts the calls that wait for the farm, and an answer shows that the game is online', async () => {
  const { edge, link, clock } = anEdge()
  const { frames, hear } = link()
  const asked = edge.players()
  expect([edge.health().pendingActions, edge.records.state()]).toEqual([1, 'ok'])
  clock.advance(1000)
  hear({ type: 'answer', id: Number(frames('call')[0]?.['id']) }, '{"players":[],"version":1}')
  expect(await asked).toEqual({ players: [], version: 1 })
  expect(edge.health()).toMatchObject({ gameAvailable: true, pendingActions: 0, snapshotAt: clock.now() })
})

test('neither the frames of a replaced link nor its end change anything', () => {
  const { edge, link } = anEdge()
  const types: string[] = []
  const old = link()
  const newer = link()
  edge.hear(({ type }) => void types.push(type))
  old.hear({ type: 'event', event: { type: 'player_joined', player } })
  edge.disconnected(old.socket)
  expect([types, edge.isLinked(), newer.closed]).toEqual([[], true, []])
  expect(old.closed).toEqual([[4001, expect.stringContaining('newer')]])
})

test('a link that ends before its hello makes no event, and a link that replaces it has not seen the game', () => {
  const { edge, link, clock } = anEdge()
  const types: string[] = []
  edge.hear(({ type }) => void types.push(type))
  const { socket } = link(silentLink)
  edge.disconnected(socket)
  expect(types).toEqual([])
  link(silentLink)
  clock.advance(1000)
  link(silentLink)
  expect(edge.health()).not.toHaveProperty('snapshotAt')
})

test('a link that replaces an open one has seen the game until then', () => {
  const { edge, link, clock } = anEdge()
  link()
  clock.advance(5000)
  link(silentLink)
  expect(edge.health().snapshotAt).toBe(clock.now())
})

test('a link whose heartbeats have stopped is closed with the reason', () => {
  const { edge, link, clock } = anEdge()
  const { closed } = link()
  clock.advance(44_001)
  expect([edge.isLinked(), closed]).toEqual([false, [[4408, 'No heartbeat']]])
})

test('a forgotten farm is offline at once: its calls fail, clients are informed, and its socket stays open', async () => {
  const { edge, link } = anEdge()
  const online: boolean[] = []
  const { closed } = link()
  edge.hear((event) => event.type === 'status_changed' && online.push(event.status.isOnline))
  const asked = edge.players()
  edge.forget()
  await expect(asked).rejects.toMatchObject(unavailable)
  expect([online, edge.isLinked(), edge.lastStatus().isOnline, closed]).toEqual([[false], false, false, []])
})

test('a closed game closes its link and every later one, and informs no one', async () => {
  const { edge, link } = anEdge()
  const types: string[] = []
  const { closed } = link()
  edge.hear(({ type }) => void types.push(type))
  await edge.close()
  expect([closed, types]).toEqual([[[1001, 'Closed']], ['status_changed']])
  const later = link()
  expect([later.closed, edge.isLinked(), types]).toEqual([[[1001, 'Closed']], false, ['status_changed']])
  await expect(edge.players()).rejects.toMatchObject(unavailable)
})

test('a stream that its reader ends is cancelled at the farm while it is linked', async () => {
  const { edge, link } = anEdge()
  const [, picture] = lawnEndpoints
  const from = { requestId: 'of the test', address: '192.0.2.7' }
  for (const isLinked of [true, false]) {
    const { frames, hear, socket } = link()
    const asked = edge.forward(picture, { search: '', from, takesDiscord: false })
    const id = Number(frames('call')[0]?.['id'])
    hear({ type: 'answer', id }, JSON.stringify({ stream: { id, status: 200, headers: {} } }))
    const { result } = await asked
    if (!isLinked) edge.disconnected(socket)
    if (result instanceof Stream && typeof result.body !== 'string') await result.body.cancel()
    expect(frames('cancel')).toEqual(isLinked ? [{ type: 'cancel', id }] : [])
  }
})

const notUnderstood = [4400, 'Not what this protocol says']
const flooded = [4429, 'Too many frames']

describe('answers', () => {
  test('reach the calls of their ids, and each shows that the game is online', async () => {
    const { connection, hear, sent, taken } = openEdgeEnd()
    const call = connection.call('rendering', gameReads.rendering, [])
    expect(sent()).toEqual([{ type: 'call', id: 1000, method: 'rendering', args: [] }])
    hear({ type: 'answer', id: 1000 }, '30')
    expect([await call, taken()]).toEqual([30, [['onAnswer']]])
  })

  test('that are failures do too', async () => {
    const { connection, hear } = openEdgeEnd()
    const call = failureOf(connection.call('rendering', gameReads.rendering, []))
    hear({ type: 'failure', id: 1000, failure: { kind: 'not_ready' } })
    expect(await call).toEqual({ kind: 'not_ready' })
  })

  test('to a call over a closed socket do not exist: the call was not sent', async () => {
    const { connection, socket } = openEdgeEnd()
    socket.isOpen = false
    expect(await failureOf(connection.call('rendering', gameReads.rendering, []))).toEqual({
      kind: 'unavailable',
    })
  })

  test('that arrive twice or too late, also to calls from before hibernation, are ignored', async () => {
    const { connection, hear, closed } = openEdgeEnd()
    const call = connection.call('rendering', gameReads.rendering, [])
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
    connection.call('rendering', gameReads.rendering, []).catch(() => undefined)
    hear(frame)
    expect([closed, taken().at(-1)]).toEqual([[notUnderstood], ['onGivenUp', 4400]])
  })
})

test.each(['garbage', '', '{"type":"root"}', '[]', '{"type":"welcome","generation":1,"heard":0,"newest":0}'])(
  'a frame that no farm sends breaks the protocol: %j',
  (text) => {
    const { connection, closed, taken } = openEdgeEnd()
    connection.receive(text)
    expect([closed, taken()]).toEqual([[notUnderstood], [['onGivenUp', 4400]]])
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
    expect([closed, taken()]).toEqual([[[1009, 'Frame too long']], [['onGivenUp', 1009]]])
  })
})

describe('a flood', () => {
  const timestamp = '2026-11-21T12:00:00.000Z'
  const frames = {
    lines: { type: 'line', n: 1, playerName: 'Abby', message: 'hi', timestamp },
    healths: { type: 'health', health },
    keys: { type: 'keys', keys: [] },
    events: { type: 'event', event: { type: 'rendering_changed', fps: 30 } },
    'late answers': { type: 'answer', id: 1 },
    'late failures': { type: 'failure', id: 1, failure: { kind: 'not_ready' } },
  } satisfies Readonly<Record<string, FarmFrame>>
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
    expect([end.closed, end.taken().at(-1)]).toEqual([[flooded], ['onGivenUp', 4429]])
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
      const call = end.connection.call('rendering', gameReads.rendering, [])
      end.hear({ type: 'answer', id }, '30')
      await call
    }
    expect(end.closed).toEqual([])
    expect(taken(end, 'healths')).toBe(3000)
  })
})
