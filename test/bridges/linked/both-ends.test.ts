/** Both ends of the link joined in memory, with one clock that the test moves: their shared promises. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { linkedGame } from '../../../bridges/linked/edge-end/linked-game.ts'
import { ChatOutbox } from '../../../bridges/linked/farm-end/chat-outbox.ts'
import { frameText, maxHead, readFarmFrame } from '../../../bridges/linked/protocol.ts'
import { farmChat } from '../../../handlers/chat/farm-chat.ts'
import { ChatHistory } from '../../../handlers/chat/history.ts'
import { chatMessage } from '../../../handlers/chat/messages.ts'
import { setTime } from '../../../handlers/endpoints/set-time.ts'
import type { GameEvent } from '../../../handlers/game-event.ts'
import { memoryStore } from '../../edge/memory-store.ts'
import { memoryChat } from '../../handlers/chat/memory-chat.ts'
import { eventually } from '../../wait.ts'
import { failureOf, unknownOutcome } from '../contract/expectations.ts'
import { aFarm } from '../simulated/a-farm.ts'
import { timeCall } from './calling-edge.ts'
import { hello } from './edge-end.ts'
import { memoryLink } from './memory-link.ts'

function ends() {
  const { farm: game, clock, controls } = aFarm({ story: 'steered' })
  controls.join({ id: 7n, name: 'Abby' })
  const chat = memoryChat(game, clock.now() * 1000)
  const outbox = new ChatOutbox(chat, () => {})
  const store = memoryStore()
  const edge = linkedGame({
    store,
    isResumed: false,
    now: clock.now,
    firstCall: 1,
    after: clock.after,
  })
  const events: GameEvent[] = []
  edge.subscribe((event) => events.push(event))
  let connection: ReturnType<typeof memoryLink>['connection'] | undefined
  chat.hear((event) => connection?.event(event))
  onTestFinished(async () => {
    await edge.close()
    await game.close()
  })
  let generation = 0
  return {
    game,
    clock,
    chat,
    store,
    edge,
    controls,
    heard: () => events.flatMap((event) => (event.type === 'chat' ? [event.message] : [])),
    online: () => events.flatMap((event) => (event.type === 'status_changed' ? [event.status.isOnline] : [])),
    say: (...lines: string[]) => {
      for (const line of lines) controls.say(7n, line)
    },
    connect() {
      generation += 1
      const link = memoryLink({ edge, game, generation, outbox, now: clock.now })
      connection = link.connection
      return link
    },
  }
}

describe('chat lines', () => {
  test('arrive once each and in order, also when the link is cut before they are confirmed', async () => {
    const { connect, say, heard } = ends()
    const said: string[] = []
    for (let cutAfter = 0; cutAfter < 12; cutAfter += 1) {
      const link = connect()
      said.push(`${cutAfter} one`, `${cutAfter} two`)
      say(...said.slice(-2))
      for (let step = 0; step < cutAfter; step += 1) await link.step()
      link.cut()
      said.push(`${cutAfter} between`)
      say(...said.slice(-1))
    }
    await connect().settle()
    expect(heard()).toEqual(said)
  })

  test('that arrive again over a newer link, which replaces an open older one, are delivered once', async () => {
    const { connect, say, heard } = ends()
    const first = connect()
    await first.settle()
    say('one', 'two')
    await first.step()
    const second = connect()
    await second.settle()
    expect(first.closed).toEqual([4001])
    expect(heard()).toEqual(['one', 'two'])
  })
})

test('an outage of the chat reaches the clients of the edge once, at its place among the lines, also over a later link', async () => {
  const { connect, chat, say, edge, store } = ends()
  const got: unknown[] = []
  edge.hear((event) => {
    if (event.type === 'chat') got.push(event.message)
    if (event.type === 'missed') got.push([event.from, event.to])
  })
  const outage = ['2026-11-21T12:00:00.000Z', '2026-11-21T12:05:00.000Z'] as const
  const first = connect()
  await first.settle()
  say('before')
  chat.missed(...outage)
  say('after')
  await first.settle()
  first.cut()
  const later = ['2026-11-21T12:10:00.000Z', '2026-11-21T12:15:00.000Z'] as const
  chat.missed(...later)
  await connect().settle()
  expect(got.toSorted()).toEqual(['after', 'before', outage, later].toSorted())
  expect(store.missed(0, store.newest() + 1).map((text) => JSON.parse(text).type)).toEqual([
    'gap',
    'chat',
    'missed',
    'chat',
    'missed',
  ])
})

describe('a link is dead', () => {
  test('after 44 s without a frame or a heartbeat: it is closed with 4408, and clients are informed', async () => {
    const { connect, edge, clock, online, controls } = ends()
    const link = connect()
    await link.settle()
    controls.leave(7n)
    await link.settle()
    const before = online().length
    clock.advance(44_000)
    expect([edge.isLinked(), link.closed]).toEqual([true, []])
    clock.advance(1)
    expect([edge.isLinked(), link.closed]).toEqual([false, [4408]])
    expect(online().slice(before)).toEqual([false])
    expect(edge.health().awaySince).toBe(clock.now() - 44_001)
  })

  test('not while heartbeats arrive', async () => {
    const { connect, edge, clock } = ends()
    const link = connect()
    await link.settle()
    for (let beat = 0; beat < 20; beat += 1) {
      clock.advance(12_000)
      link.heartbeat()
    }
    clock.advance(43_999)
    expect([edge.isLinked(), link.closed]).toEqual([true, []])
  })

  test('without its hello within 10 s: a later hello opens nothing', () => {
    const { edge, clock } = ends()
    const closed: number[] = []
    const socket = { send: () => true, close: (code: number) => void closed.push(code), lastSeen: clock.now }
    edge.connected(socket, { generation: 1 }, () => {})
    clock.advance(10_000)
    edge.received(socket, frameText(hello))
    expect([closed, edge.isLinked()]).toEqual([[4408], false])
  })
})

describe('a call', () => {
  test('is made at the game, and its result returns', async () => {
    const { connect, edge, game } = ends()
    const link = connect()
    await link.settle()
    let isAnswered = false
    const call = edge.forward(setTime, timeCall(1500).args[0]).finally(() => {
      isAnswered = true
    })
    // The farm's dispatcher takes several turns.
    await eventually(async () => {
      await link.settle()
      expect(isAnswered).toBe(true)
    })
    await call
    expect((await game.status()).timeOfDay).toBe(1500)
  })

  test('of the records is answered by those of the farm', async () => {
    const { connect, edge } = ends()
    expect(edge.records.state()).toBe('failed')
    const link = connect()
    await link.settle()
    expect(edge.records.state()).toBe('ok')
    const heard = edge.records.heardDiscord({ id: '1', serverId: '2' })
    await link.settle()
    expect(await heard).toEqual({ isRepeated: false })
  })

  test('that the game does not answer in time is cancelled at the farm, and the late answer changes nothing', async () => {
    const { connect, edge, clock, controls } = ends()
    const link = connect()
    await link.settle()
    controls.fallSilent()
    const call = failureOf(edge.rendering())
    await link.settle()
    clock.advance(2000)
    link.heartbeat()
    clock.advance(1000)
    expect(await call).toEqual({ kind: 'timeout', write: false })
    await link.settle()
    expect([edge.health().pendingActions, link.closed]).toEqual([0, []])
  })

  test('that is pending when a newer link replaces its own ends as unknown, though the old socket is still open', async () => {
    const { connect, edge, controls } = ends()
    await connect().settle()
    controls.freeze()
    const call = failureOf(edge.forward(setTime, timeCall(1500).args[0]))
    const next = connect()
    expect(await call).toEqual(unknownOutcome)
    await next.settle()
    expect(edge.isLinked()).toBe(true)
  })
})

test('a farm that breaks the protocol is offline at once, and its further frames are ignored', async () => {
  const { connect, edge, heard } = ends()
  const link = connect()
  await link.settle()
  edge.received(link.edgeSocket, 'garbage')
  expect([edge.isLinked(), link.closed]).toEqual([false, [4400]])
  edge.received(link.edgeSocket, frameText(hello))
  edge.received(
    link.edgeSocket,
    frameText({
      type: 'line',
      n: 1,
      playerName: 'Abby',
      message: 'hi',
      timestamp: '2026-11-21T12:00:00.000Z',
    }),
  )
  expect([edge.isLinked(), heard()]).toEqual([false, []])
})

const timestamp = '2026-11-21T12:00:00.000Z'
const chat = (message: string, playerName = 'Abby') =>
  ({ type: 'chat', playerName, message, timestamp }) as const
const textOf = (seq: number) => chatMessage(chat(`line ${seq}`), seq)

/** An outbox of a process whose first line has the number 101. @param kept numbers of lines of an earlier process */
function anOutbox({ lines = 0, kept = [] as readonly number[] } = {}) {
  let emit = (_event: GameEvent) => {}
  const subscribe = (listener: typeof emit) => {
    emit = listener
    return () => {}
  }
  const history = new ChatHistory(
    101,
    kept.map((seq) => ({ seq, text: textOf(seq) })),
  )
  const dropped: number[] = []
  const outbox = new ChatOutbox(farmChat({ subscribe }, history), (count) => dropped.push(count))
  const say = (...said: GameEvent[]) => said.forEach((event) => void emit(event))
  say(...Array.from({ length: lines }, (_, at) => chat(`line ${101 + at}`)))
  return { outbox, say, dropped, history }
}

const lineOf = (text = '') => {
  const frame = readFarmFrame(text)?.frame
  if (frame?.type !== 'line') throw new Error('the edge does not take this for a line')
  return frame
}

/** The numbers of the lines that can be sent now. */
const sent = (outbox: ChatOutbox) => outbox.next().map((text) => lineOf(text).n)
const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

test('lines are sent under their numbers in the order of the chat, each once over a link', () => {
  const { outbox, say } = anOutbox({ lines: 2 })
  expect(outbox.next().map(lineOf)).toEqual([
    { type: 'line', n: 101, playerName: 'Abby', message: 'line 101', timestamp },
    { type: 'line', n: 102, playerName: 'Abby', message: 'line 102', timestamp },
  ])
  expect(sent(outbox)).toEqual([])
  say(chat('one more'))
  expect(sent(outbox)).toEqual([103])
})

test('at most 200 lines are sent unconfirmed, and each confirmation allows as many more', () => {
  const { outbox } = anOutbox({ lines: 500 })
  expect(sent(outbox)).toEqual(range(101, 300))
  expect(sent(outbox)).toEqual([])
  outbox.confirm(103)
  outbox.confirm(102)
  expect(sent(outbox)).toEqual([301, 302, 303])
  outbox.confirm(303)
  expect(sent(outbox)).toEqual(range(304, 503))
})

describe('a new link', () => {
  test.each([
    ['continues after the line that the edge has', { heard: 103, newest: 103 }, range(104, 105), 106],
    [
      'begins with the first line of this process for an edge without lines',
      { heard: 0, newest: 0 },
      range(101, 105),
      106,
    ],
    [
      'continues with lines of an earlier process',
      { heard: 98, newest: 98 },
      [99, 100, ...range(101, 105)],
      106,
    ],
    [
      'of an edge that is ahead is sent the lines of this process, and later lines are numbered above those',
      { heard: 900, newest: 900 },
      range(101, 105),
      906,
    ],
    [
      'of an edge whose last line has the number of the next line does the same',
      { heard: 106, newest: 106 },
      range(101, 105),
      112,
    ],
    [
      'of an edge whose newest line is of another process does the same',
      { heard: 103, newest: 900 },
      range(104, 105),
      903,
    ],
    [
      'of an edge whose newest number is that of the next line does the same',
      { heard: 105, newest: 106 },
      [],
      107,
    ],
    [
      'of an edge whose newest number is that of the last line skips none',
      { heard: 104, newest: 105 },
      [105],
      106,
    ],
  ])('%s', (_what, { heard, newest }: { heard: number; newest: number }, lines, next) => {
    const { outbox } = anOutbox({ lines: 5, kept: range(97, 100) })
    outbox.next()
    outbox.resume(heard, newest)
    expect([sent(outbox), outbox.numbers.next]).toEqual([lines, next])
  })

  test('has its own 200 lines, whatever the link before it left unconfirmed', () => {
    const { outbox } = anOutbox({ lines: 300 })
    outbox.next()
    outbox.resume(0, 0)
    expect(sent(outbox)).toEqual(range(101, 300))
  })
})

test('an edge without lines gets the kept lines of this process', () => {
  expect(anOutbox({ kept: [97] }).outbox.numbers).toEqual({ from: 101, next: 101 })
  expect(anOutbox({ kept: [97], lines: 2 }).outbox.numbers).toEqual({ from: 101, next: 103 })
  expect(anOutbox({ lines: 2001 }).outbox.numbers).toEqual({ from: 102, next: 2102 })
})

test('lines that are dropped before the edge can take them are counted once', () => {
  const { outbox, dropped, say } = anOutbox({ lines: 2200 })
  expect(sent(outbox)).toEqual(range(301, 500))
  say(...range(1, 300).map(() => chat('more')))
  outbox.confirm(500)
  expect(sent(outbox)).toEqual(range(601, 800))
  expect(dropped).toEqual([200, 100])
})

describe('a line that does not fit into the first line of a frame', () => {
  const longest = maxHead - JSON.stringify({ ...chat(''), type: 'line', n: 101 }).length
  const message = (said: string, playerName?: string) => {
    const { outbox, say } = anOutbox()
    say(chat(said, playerName))
    return lineOf(outbox.next()[0])
  }

  test('is cut, and the edge accepts it', () => {
    const cut = message('m'.repeat(longest + 1), 'n'.repeat(1001))
    expect([cut.message, cut.playerName]).toEqual(['m'.repeat(80_000), 'n'.repeat(1000)])
  })

  test('fits even when each of its characters takes six in JSON', () => {
    const controls = '\u0001'.repeat(100_000)
    expect(message(controls, '\u0001'.repeat(2000)).message).toBe('\u0001'.repeat(80_000))
  })

  test('is whole if it just fits', () => {
    expect(message('m'.repeat(longest)).message).toBe('m'.repeat(longest))
  })
})

test('half of a surrogate pair, in a name or a text, is sent as U+FFFD', () => {
  const { outbox, say } = anOutbox()
  say(chat('a\ud800b', '\udc00'))
  expect(lineOf(outbox.next()[0])).toMatchObject({ playerName: '\ufffd', message: 'a\ufffdb' })
})

test('a line that was damaged on the disk is skipped, and the lines after it are sent', () => {
  const history = new ChatHistory(101, [
    { seq: 98, text: '{"type":"chat"' },
    { seq: 99, text: '{"type":"chat","payload":{}}' },
    { seq: 100, text: textOf(100) },
  ])
  const outbox = new ChatOutbox(farmChat({ subscribe: () => () => {} }, history), () => {})
  outbox.resume(97, 97)
  expect(sent(outbox)).toEqual([100])
})
