/** The numbers of chat lines at the edge, over links of several processes of a farm. */
import { expect, test } from 'vitest'
import { linkedGame } from '../../../bridges/linked/edge-end/linked-game.ts'
import type { RoomEvent } from '../../../handlers/game-event.ts'
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
  }
}

const aFarm = (run: string, from: number, next: number) => ({ run, numbers: { from, next } })
test('lines of two processes with one link key are shown once each, under rising numbers', () => {
  const { clients, link } = anEdge()
  link(aFarm('run-one-1', 500, 501)).line(500, 'a')
  link(aFarm('run-two-2', 900, 901)).line(900, 'b')
  const back = link(aFarm('run-one-1', 500, 502))
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
  expect(store.newest()).toBe(0)
  const farm = link(aFarm('run-one-1', 700, 703))
  expect([store.newest(), numbers]).toEqual([699, [703]])
  edge.askNumbers()
  expect(farm.sent.at(-1)).toEqual({ type: 'numbers' })
  farm.send({ type: 'numbers', next: 704 })
  farm.line(700, 'one')
  expect([clients, numbers]).toEqual([[[700, 'one']], [703, 704]])
})
