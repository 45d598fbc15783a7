/** Both ends of the link joined in memory, with one clock that the test moves: their shared promises. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { ChatOutbox } from '../../../bridges/linked/chat-outbox.ts'
import { linkedGame } from '../../../bridges/linked/linked-game.ts'
import { frameText } from '../../../bridges/linked/protocol.ts'
import type { GameEvent } from '../../../handlers/game-event.ts'
import { memoryStore } from '../../edge/memory-store.ts'
import { memoryChat } from '../../handlers/chat/memory-chat.ts'
import { failureOf, unknownOutcome } from '../contract/expectations.ts'
import { aFarm } from '../simulated/a-farm.ts'
import { hello } from './edge-end.ts'
import { memoryLink } from './memory-link.ts'

function ends() {
  const { farm: game, clock, controls } = aFarm({ story: 'steered' })
  controls.join({ id: 7n, name: 'Abby' })
  const chat = memoryChat(game)
  const outbox = new ChatOutbox(chat, () => {})
  const edge = linkedGame({
    store: memoryStore(),
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
    const call = edge.setTime(1500)
    await link.settle()
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
    controls.freeze()
    const call = failureOf(edge.setLoginTimeout(60))
    await link.settle()
    clock.advance(4000)
    link.heartbeat()
    clock.advance(2000)
    expect(await call).toEqual(unknownOutcome)
    await link.settle()
    controls.thaw()
    await link.settle()
    expect([edge.health().pendingActions, link.closed]).toEqual([0, []])
  })

  test('that is pending when a newer link replaces its own ends as unknown, though the old socket is still open', async () => {
    const { connect, edge, controls } = ends()
    await connect().settle()
    controls.freeze()
    const call = failureOf(edge.setTime(1500))
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
