/** The chat over the link while one end is a release older, in its own frames, and after its upgrade. */
import { expect, test } from 'vitest'
import { linkedGame } from '../../../bridges/linked/edge-end/linked-game.ts'
import { ChatOutbox } from '../../../bridges/linked/farm-end/chat-outbox.ts'
import { farmChat } from '../../../handlers/chat/farm-chat.ts'
import { ChatHistory } from '../../../handlers/chat/history.ts'
import type { GameEvent, NumberedLine, RoomEvent } from '../../../handlers/game-event.ts'
import { memoryStore } from '../../edge/memory-store.ts'
import { health, hello } from './edge-end.ts'

const timestamp = '2026-11-21T12:00:00.000Z'
const noon = Date.parse(timestamp)
const said = (message: string) => ({ type: 'chat', playerName: 'Abby', message, timestamp }) as const

/** An edge of this release. */
function anEdge() {
  const store = memoryStore(undefined, () => noon)
  const clients: unknown[][] = []
  const numbers: number[] = []
  const edge = linkedGame({
    store,
    isResumed: false,
    now: () => noon,
    firstCall: 1,
    onNumbers: (next) => numbers.push(next),
  })
  edge.hear((event: RoomEvent) => {
    if (event.type === 'chat') clients.push([event.seq, event.message])
    if (event.type === 'gap') clients.push(['gap', event.from, event.to])
  })
  let generation = 0
  /** A farm links. @returns a function that sends a frame of it, and the answers of the edge */
  const link = (first: object) => {
    const sent: Readonly<Record<string, unknown>>[] = []
    const socket = {
      send: (text: string) => sent.push(JSON.parse(text)) > 0,
      close: () => {},
      lastSeen: () => noon,
    }
    generation += 1
    edge.connected(socket, { generation }, () => {})
    const send = (frame: object) => edge.received(socket, JSON.stringify(frame))
    send({ ...hello, health, ...first })
    return { send, sent, line: (n: number, message: string) => send({ ...said(message), type: 'line', n }) }
  }
  return {
    store,
    edge,
    clients,
    numbers,
    link,
    missed: (since: number) => store.missed(since, store.newest() + 1),
  }
}

const oldFarm = (run: string) => ({ run })
const newFarm = (run: string, from: number, next: number) => ({ run, numbers: { from, next } })
const first = noon * 1000

test('the edge numbers the lines of an older farm, which counts them in each run, each once', () => {
  const { clients, link, numbers, edge } = anEdge()
  const one = link(oldFarm('run-one-1'))
  expect(one.sent[0]).toMatchObject({ type: 'welcome', heard: 0 })
  for (const n of [1, 2, 2, 1, 3]) one.line(n, `one ${n}`)
  const again = link(oldFarm('run-one-1'))
  expect(again.sent[0]).toMatchObject({ type: 'welcome', heard: 3 })
  const two = link(oldFarm('run-two-2'))
  expect(two.sent[0]).toMatchObject({ type: 'welcome', heard: 0 })
  two.line(1, 'two 1')
  expect(clients).toEqual([
    [first, 'one 1'],
    [first + 1, 'one 2'],
    [first + 2, 'one 3'],
    [first + 3, 'two 1'],
  ])
  expect([numbers, edge.askNumbers(), two.sent.some(({ type }) => type === 'numbers')]).toEqual([
    [first, first + 3, first + 3],
    false,
    false,
  ])
})

test('a farm that is upgraded keeps earlier lines for clients, whose since reports one gap and no line twice', () => {
  const { clients, link, missed } = anEdge()
  const old = link(oldFarm('run-one-1'))
  old.line(1, 'one')
  old.line(2, 'two')
  const next = first + 5_000_000
  const upgraded = link(newFarm('run-two-2', next, next))
  expect(upgraded.sent[0]).toMatchObject({ heard: 0, newest: first + 1 })
  upgraded.line(next, 'three')
  upgraded.line(next, 'three')
  expect(clients.slice(2)).toEqual([
    ['gap', first + 2, next - 1],
    [next, 'three'],
  ])
  expect(missed(first).map((text) => JSON.parse(text))).toMatchObject([
    { type: 'chat', payload: { seq: first + 1, message: 'two' } },
    { type: 'gap', payload: { from: first + 2, to: next - 1 } },
    { type: 'chat', payload: { seq: next, message: 'three' } },
  ])
  const again = link(newFarm('run-three', next, next + 1))
  expect(again.sent[0]).toMatchObject({ heard: next, newest: next })
})

test('a farm that is downgraded has its lines numbered after those that it had numbered', () => {
  const { clients, link } = anEdge()
  link(newFarm('run-one-1', first + 7, first + 7)).line(first + 7, 'one')
  link(oldFarm('run-two-2')).line(1, 'two')
  expect(clients).toEqual([
    [first + 7, 'one'],
    [first + 8, 'two'],
  ])
})

test('lines of two processes with one link key are shown once each, under rising numbers', () => {
  const { clients, link } = anEdge()
  link(newFarm('run-one-1', 500, 501)).line(500, 'a')
  link(newFarm('run-two-2', 900, 901)).line(900, 'b')
  const back = link(newFarm('run-one-1', 500, 502))
  expect(back.sent[0]).toMatchObject({ heard: 500, newest: 900 })
  for (const n of [501, 500, 501]) back.line(n, 'c')
  expect(clients).toEqual([
    [500, 'a'],
    ['gap', 501, 899],
    [900, 'b'],
    [901, 'c'],
  ])
})

test('an edge without lines learns the farm’s first number from its hello, and reports no gap before it', () => {
  const { clients, link, store, edge, numbers } = anEdge()
  expect([store.newest(), edge.askNumbers()]).toEqual([0, true])
  const farm = link(newFarm('run-one-1', 700, 703))
  expect([store.newest(), numbers]).toEqual([699, [703]])
  expect([edge.askNumbers(), farm.sent.at(-1)]).toEqual([true, { type: 'numbers' }])
  farm.send({ type: 'numbers', next: 704 })
  farm.line(700, 'one')
  expect([clients, numbers]).toEqual([[[700, 'one']], [703, 704]])
})

/** The code of the previous release's edge: it numbers lines itself, and knows each run's last line. */
function anOlderEdge() {
  const heard = new Map<string, number>()
  const shown: string[] = []
  return {
    shown,
    /** @returns what an outbox needs to resume */
    welcome: (run: string) => heard.get(run) ?? 0,
    take(run: string, frames: readonly string[]) {
      for (const frame of frames) {
        const { n, message } = JSON.parse(frame)
        if (n > (heard.get(run) ?? 0)) {
          heard.set(run, n)
          shown.push(message)
        }
      }
    },
  }
}

test('an older edge is sent each line of a run once, and none of an earlier run', () => {
  const edge = anOlderEdge()
  const start = (from: number, kept: readonly NumberedLine[] = []) => {
    let emit = (_event: GameEvent) => {}
    const subscribe = (listener: typeof emit) => {
      emit = listener
      return () => {}
    }
    const lines = new ChatHistory(from, kept)
    return {
      lines,
      outbox: new ChatOutbox(farmChat({ subscribe }, lines), () => {}),
      say: (text: string) => emit(said(text)),
    }
  }
  const one = start(first)
  one.say('one')
  one.outbox.resume(edge.welcome('run one'))
  one.say('two')
  edge.take('run one', one.outbox.next())
  one.say('three')
  one.outbox.resume(edge.welcome('run one'))
  edge.take('run one', one.outbox.next())
  const two = start(first + 9000, one.lines.after(0))
  two.say('four')
  two.outbox.resume(edge.welcome('run two'))
  edge.take('run two', two.outbox.next())
  expect(edge.shown).toEqual(['one', 'two', 'three', 'four'])
})
