/** Which clients are sent which chat lines, in which order; without a socket. */

import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { ChatHistory } from '../../../handlers/chat/history.ts'
import { channelsOf, newClient } from '../../../handlers/chat/room-client.ts'
import { cabins } from '../../../handlers/endpoints/cabins.ts'
import { FarmError } from '../../../handlers/farm-error.ts'
import {
  neverSeen,
  type Players,
  type Status,
  status as statusRecord,
} from '../../../handlers/game-records.ts'
import { aRoom, first, key, open, payloads, settled, type TestClient, types } from './a-room.ts'

const messages = (client: Parameters<typeof payloads>[0]) =>
  payloads(client, 'chat').map(({ message }) => message)

test('unauthenticated clients are sent nothing', () => {
  const { enter, line } = aRoom()
  const client = enter()
  line('for members only')
  expect(client.heard).toEqual([])
})

test('after auth_success a client is sent every line, numbered one by one', () => {
  const { authenticated, line, counts } = aRoom()
  const client = authenticated()
  line('one')
  line('two')
  expect(types(client)).toEqual(['auth_success', 'chat', 'chat'])
  expect(payloads(client, 'chat').map(({ seq }) => seq)).toEqual([first, first + 1])
  expect(counts.linesRelayed.total).toBe(2)
})

test('without a key set a client is sent the chat at once', () => {
  const { enter, line } = aRoom({ keyRequired: false })
  const client = enter()
  line('to everyone')
  expect(messages(client)).toEqual(['to everyone'])
})

test('no auth in time: auth_failed, close 1008', () => {
  const { room, enter } = aRoom()
  const client = enter()
  room.authOverdue(client)
  expect([types(client), client.closed]).toEqual([
    ['auth_failed'],
    { code: 1008, reason: 'Authentication timeout' },
  ])
})

test('a wrong key is counted for the address that sent it', () => {
  const judged: unknown[] = []
  const { enter, send } = aRoom({
    verify: (...shown) => {
      judged.push(shown)
      return 'wrong'
    },
  })
  const client = enter()
  send(client, { type: 'auth', payload: { token: 'a guess' } })
  expect([judged, client.closed?.code]).toEqual([[['a guess', '192.0.2.1']], 1008])
})

test('since: missed lines come right after auth_success, in order, before the live ones', () => {
  const { authenticated, line } = aRoom()
  for (const text of ['known', 'missed 1', 'missed 2']) line(text)
  const client = authenticated({ since: first })
  line('live')
  expect(types(client)).toEqual(['auth_success', 'chat', 'chat', 'chat'])
  expect(messages(client)).toEqual(['missed 1', 'missed 2', 'live'])
})

test('since in a second auth sends no line twice', () => {
  const { authenticated, line, send } = aRoom()
  line('before')
  const client = authenticated()
  line('live')
  send(client, { type: 'auth', payload: { token: key, since: first - 1 } })
  expect(messages(client)).toEqual(['live', 'before'])
})

test('a gap comes first for lines that are no longer kept', () => {
  const { authenticated, line } = aRoom()
  line('held')
  const client = authenticated({ since: 1000 })
  expect(client.heard[1]).toEqual({ type: 'gap', payload: { from: 1001, to: first - 1 } })
  expect(messages(client)).toEqual(['held'])
})

test('a gap stands for lines lost in a kill of the process, between the lines before and after them', () => {
  const text = (seq: number) => JSON.stringify({ type: 'chat', payload: { message: 'kept', seq } })
  const kept = [first - 12, first - 11].map((seq) => ({ seq, text: text(seq) }))
  const { authenticated, line } = aRoom({}, new ChatHistory(first, kept))
  line('new')
  expect(authenticated({ since: first - 12 }).heard.slice(1)).toMatchObject([
    { type: 'chat', payload: { seq: first - 11 } },
    { type: 'gap', payload: { from: first - 10, to: first - 1 } },
    { type: 'chat', payload: { seq: first } },
  ])
})

test('a since greater than every seq: gap from null to the newest, and no line twice', () => {
  const { authenticated, line } = aRoom()
  line('perhaps heard')
  const client = authenticated({ since: first + 1 })
  line('live')
  expect(client.heard.slice(1)).toEqual([
    { type: 'gap', payload: { from: null, to: first } },
    expect.objectContaining({ type: 'chat' }),
  ])
  expect(messages(client)).toEqual(['live'])
})

test('a client that stays connected while the room is restored is sent the next lines, none twice', () => {
  const { resumed, line, send } = aRoom()
  line('heard before')
  const client = resumed({ session: open, firstSeq: first, topics: [], awaited: [] })
  line('after')
  send(client, { type: 'auth', payload: { token: key, since: first - 1 } })
  expect(messages(client)).toEqual(['after'])
})

test('a client that has left is sent nothing more', () => {
  const { room, authenticated, line } = aRoom()
  const client = authenticated()
  room.leave(client)
  line('too late')
  expect([messages(client), room.clients.size]).toEqual([[], 0])
})

test('a client that was closed is sent nothing more, and its messages are ignored', () => {
  const { room, authenticated, line, send } = aRoom()
  const client = authenticated()
  room.close(client, 1013, 'Too slow')
  line('too late')
  send(client, { type: 'ping' })
  expect([types(client), client.closed]).toEqual([['auth_success'], { code: 1013, reason: 'Too slow' }])
})

test('protocol pings of an unauthenticated client are counted: the sixth closes it', () => {
  const { room, enter } = aRoom()
  const client = enter()
  for (let ping = 0; ping < 5; ping += 1) room.heardPing(client)
  expect(client.closed).toBeUndefined()
  room.heardPing(client)
  expect(client.closed).toEqual({ code: 1008, reason: 'Authenticate first' })
})

test('protocol pings of an authenticated client are counted by the clock', () => {
  const { room, clock, authenticated } = aRoom()
  const client = authenticated()
  for (let ping = 0; ping < 60; ping += 1) room.heardPing(client)
  expect(types(client)).toEqual(['auth_success'])
  room.heardPing(client)
  clock.now += 1000
  room.heardPing(client)
  expect(types(client)).toEqual(['auth_success', 'error'])
})

test('a second auth with since sends only the lines from before the client joined', () => {
  const { authenticated, line, send } = aRoom()
  line('before')
  const client = authenticated()
  for (const text of ['one', 'two']) line(text)
  for (let again = 0; again < 2; again += 1)
    send(client, { type: 'auth', payload: { token: key, since: first - 1 } })
  expect(messages(client)).toEqual(['one', 'two', 'before', 'before'])
})

test('a binary frame closes 1003', () => {
  const { room, authenticated } = aRoom()
  const client = authenticated()
  room.heardBinary(client)
  expect(client.closed?.code).toBe(1003)
})

describe('skipped numbers', () => {
  test('are reported by gap to a client that has used since, in order between the lines', () => {
    const { authenticated, line, skipTo } = aRoom()
    const [old, resuming] = [authenticated(), authenticated({ since: first - 1 })]
    line('one')
    skipTo(first + 10)
    line('two')
    const missing = { type: 'gap', payload: { from: first + 1, to: first + 9 } }
    const chat = (seq: number) =>
      expect.objectContaining({ type: 'chat', payload: expect.objectContaining({ seq }) })
    expect(old.heard.slice(1)).toEqual([chat(first), chat(first + 10)])
    expect(resuming.heard.slice(1)).toEqual([chat(first), missing, chat(first + 10)])
  })

  test('are reported once to a client that returns before the next line', () => {
    const { authenticated, line, skipTo } = aRoom()
    line('one')
    skipTo(first + 10)
    const client = authenticated({ since: first })
    line('two')
    expect(types(client)).toEqual(['auth_success', 'gap', 'chat'])
  })
})

describe('a since above all lines, which only the farm can confirm', () => {
  const aheadBy = (given: number) => {
    const lines = new ChatHistory(first)
    const missed = (since: number, before: number) =>
      since >= lines.next ? undefined : lines.missed(since, before)
    const missing = {
      get next() {
        return lines.next
      },
      missed,
    }
    const room = aRoom({ lines: missing }, lines)
    room.line('one')
    const client = room.authenticated({ since: first + given })
    return { ...room, client, seqs: () => payloads(client, 'chat').map(({ seq }) => Number(seq) - first) }
  }

  test('is sent no line up to it, and every later one', () => {
    const { line, client, seqs, room } = aheadBy(2)
    for (const message of ['two', 'three', 'four', 'five']) line(message)
    room.numbersKnown(first + 5)
    expect([types(client), seqs()]).toEqual([
      ['auth_success', 'chat', 'chat'],
      [3, 4],
    ])
  })

  test('that the farm never gave out is answered by gap from null to the newest, and the next lines', () => {
    const { line, client, room, seqs } = aheadBy(2)
    room.numbersKnown(first + 3)
    line('two')
    expect(types(client)).toEqual(['auth_success'])
    room.numbersKnown(first + 2)
    line('three')
    expect(payloads(client, 'gap')).toEqual([{ from: null, to: first + 1 }])
    expect(seqs()).toEqual([2])
  })

  test('is sent a gap over the skipped numbers after it', () => {
    const { line, client, skipTo, seqs } = aheadBy(2)
    skipTo(first + 10)
    line('two')
    expect([payloads(client, 'gap'), seqs()]).toEqual([[{ from: first + 3, to: first + 9 }], [10]])
  })

  test('makes no gap over the numbers up to it, and stays undecided at the last of those', () => {
    const { line, client, skipTo, seqs } = aheadBy(2)
    skipTo(first + 3)
    line('two')
    expect([types(client), seqs()]).toEqual([['auth_success', 'chat'], [3]])
  })

  test('of a client that is in the chat is answered at once', () => {
    const { line, send, authenticated } = aheadBy(2)
    const client = authenticated()
    send(client, { type: 'auth', payload: { token: key, since: first + 5 } })
    line('two')
    expect(types(client)).toEqual(['auth_success', 'auth_success', 'gap', 'chat'])
  })

  test('stays undecided over hibernation and until the client leaves', () => {
    const { room, client, line, resumed } = aheadBy(2)
    expect(client.state.ahead).toBe(first + 2)
    const woken = resumed(client.state)
    room.leave(client)
    room.numbersKnown(0)
    line('two')
    expect([types(client), types(woken)]).toEqual([['auth_success'], ['gap', 'chat']])
  })
})

const subscribe = (...topics: string[]) => ({ type: 'subscribe', payload: { topics } })

const players = async (): Promise<Players> => ({ players: [], version: 1 })

const unavailable = () => Promise.reject(new FarmError({ kind: 'unavailable' }))

const statusAt = (timeOfDay: number): Status => ({ ...neverSeen, isOnline: true, timeOfDay })

/** A status request that the test answers later. */
function slowStatus() {
  const reads: PromiseWithResolvers<Status>[] = []
  return {
    status() {
      const read = Promise.withResolvers<Status>()
      reads.push(read)
      return read.promise
    },
    get asked() {
      return reads.length
    },
    async answer(timeOfDay: number) {
      reads.at(-1)?.resolve(statusAt(timeOfDay))
      await settled()
    },
  }
}

/** The times of day that a client was sent, snapshots marked. */
const times = (client: TestClient) =>
  client.heard.flatMap(({ type, payload }) => {
    const status = v.safeParse(statusRecord, payload?.['data'] ?? payload?.['status'])
    return status.success ? [`${type} ${status.output.timeOfDay}`] : []
  })

test('subscribe is answered with subscribed, a snapshot per topic, then events', async () => {
  const { authenticated, send, status } = aRoom({ players, status: async () => statusAt(900) })
  const client = authenticated()
  send(client, subscribe('status', 'players'))
  await settled()
  status(910)
  expect(types(client)).toEqual(['auth_success', 'subscribed', 'snapshot', 'snapshot', 'event'])
  expect(payloads(client, 'subscribed')).toEqual([{ topics: ['players', 'status'] }])
  expect(payloads(client, 'snapshot').map(({ topic }) => topic)).toEqual(['players', 'status'])
})

test('events are never sent without subscribe', () => {
  const { authenticated, status } = aRoom()
  const client = authenticated()
  status(910)
  expect(types(client)).toEqual(['auth_success'])
})

describe('a client that subscribes is sent no event older than its snapshot', () => {
  test('an event from before it subscribed', async () => {
    const { authenticated, send, status } = aRoom({ status: async () => statusAt(920) })
    const client = authenticated()
    status(910)
    send(client, subscribe('status'))
    await settled()
    expect(times(client)).toEqual(['snapshot 920'])
  })

  test('an event during the read of the snapshot: the snapshot is read again', async () => {
    const game = slowStatus()
    const { authenticated, send, status } = aRoom({ status: game.status })
    const client = authenticated()
    send(client, subscribe('status'))
    status(910)
    await game.answer(920)
    expect(times(client)).toEqual([])
    await game.answer(920)
    status(930)
    expect(times(client)).toEqual(['snapshot 920', 'event 930'])
  })

  test('an event while the snapshot of a topic that it already follows is read again', async () => {
    const game = slowStatus()
    const { authenticated, send, status } = aRoom({ status: game.status })
    const client = authenticated()
    send(client, subscribe('status'))
    await game.answer(900)
    send(client, subscribe('status'))
    status(910)
    await game.answer(910)
    await game.answer(910)
    expect(times(client)).toEqual(['snapshot 900', 'snapshot 910'])
  })

  test('a snapshot is sent even while events keep coming, and no event is lost', async () => {
    const game = slowStatus()
    const { authenticated, send, status } = aRoom({ status: game.status })
    const client = authenticated()
    send(client, subscribe('status'))
    for (let time = 1; time <= 5; time += 1) {
      status(900 + time)
      await game.answer(900)
    }
    status(910)
    expect([game.asked, times(client)]).toEqual([5, ['snapshot 900', 'event 905', 'event 910']])
  })
})

test('events of all topics are numbered by eventSeq, and a snapshot has the number of the newest one', async () => {
  const { room, authenticated, send, status } = aRoom({ players, status: async () => statusAt(900) })
  status(910)
  const client = authenticated()
  send(client, subscribe('players', 'status'))
  await settled()
  room.heard({ type: 'player_joined', player: { id: 1n, name: 'Abby', isOnline: true } })
  status(920)
  expect(payloads(client, 'snapshot').map(({ eventSeq }) => eventSeq)).toEqual([first, first])
  expect(payloads(client, 'event').map(({ eventSeq }) => eventSeq)).toEqual([first + 1, first + 2])
  for (const { payload } of client.heard) expect(payload ?? {}).not.toHaveProperty('seq')
})

test('a snapshot that the game cannot give is answered by error and sent when the game is back', async () => {
  let isOffline = true
  const { authenticated, send, status } = aRoom({
    players: () => (isOffline ? unavailable() : players()),
  })
  const client = authenticated()
  send(client, subscribe('players'))
  await settled()
  expect(payloads(client, 'error')).toEqual([
    {
      code: 'game_unavailable',
      error: 'No snapshot of players yet; it follows when the game is back',
    },
  ])
  status(900, false)
  await settled()
  isOffline = false
  status(910)
  await settled()
  expect(types(client).filter((type) => type === 'snapshot')).toHaveLength(1)
})

test('when the game is back after an unknown time, all subscribers get new snapshots', async () => {
  const { room, authenticated, send } = aRoom({ players, status: async () => statusAt(900) })
  const client = authenticated()
  send(client, subscribe('players', 'status'))
  await settled()
  room.gameIsBack()
  await settled()
  expect(payloads(client, 'snapshot').map(({ topic }) => topic)).toEqual(['players', 'status', 'players'])
})

test('a client that stays connected while the room is restored is sent the snapshot that it awaits', async () => {
  const { resumed, status } = aRoom({ players })
  const client = resumed({ session: open, topics: ['status'], awaited: ['players'] })
  status(910)
  await settled()
  expect(types(client)).toEqual(['event', 'snapshot'])
})

test('a snapshot for a client that has left is not sent', async () => {
  const game = slowStatus()
  const { room, authenticated, send } = aRoom({ status: game.status })
  const client = authenticated()
  send(client, subscribe('status'))
  room.leave(client)
  await game.answer(900)
  expect(times(client)).toEqual([])
})

test('the snapshot of each topic is read by its own call', async () => {
  const cabin = { ...cabins.example, strategy: 'None' }
  const { authenticated, send } = aRoom({
    players,
    status: async () => statusAt(900),
    cabins: async () => cabin,
  })
  const client = authenticated()
  send(client, subscribe('players', 'status', 'cabins'))
  await settled()
  expect(payloads(client, 'snapshot').map(({ topic, data }) => [topic, data])).toEqual([
    ['players', { players: [], version: 1 }],
    ['status', statusAt(900)],
    ['cabins', expect.objectContaining({ strategy: 'None' })],
  ])
})

test('an event of another topic neither repeats the read of a snapshot nor is sent with it', async () => {
  const game = slowStatus()
  const { room, authenticated, send } = aRoom({ status: game.status })
  const client = authenticated()
  send(client, subscribe('status'))
  room.heard({ type: 'player_joined', player: { id: 1n, name: 'Abby', isOnline: true } })
  await game.answer(900)
  expect([game.asked, types(client)]).toEqual([1, ['auth_success', 'subscribed', 'snapshot']])
})

test('only a status of an online game triggers the read of missing snapshots', async () => {
  let asked = 0
  const { room, authenticated, send, status } = aRoom({
    players() {
      asked += 1
      return unavailable()
    },
  })
  send(authenticated(), subscribe('players'))
  await settled()
  room.heard({ type: 'player_joined', player: { id: 1n, name: 'Abby', isOnline: true } })
  status(900, false)
  await settled()
  expect(asked).toBe(1)
  status(910)
  await settled()
  expect(asked).toBe(2)
})

test('the room reports the topics that clients follow, without those of clients that left', async () => {
  const followed: (readonly string[])[] = []
  const { room, authenticated, send } = aRoom({
    players,
    status: async () => statusAt(900),
    followed: (topics) => followed.push(topics),
  })
  const one = authenticated()
  const other = authenticated()
  send(one, subscribe('status'))
  send(other, subscribe('players'))
  await settled()
  room.leave(one)
  room.leave(other)
  expect(followed).toEqual([['status'], ['players', 'status'], ['players'], []])
})

test('a client that leaves makes the room report its topics only when it followed some', async () => {
  const followed: (readonly string[])[] = []
  const { room, authenticated, send, resumed } = aRoom({
    players,
    followed: (topics) => followed.push(topics),
  })
  room.leave(authenticated())
  expect(followed).toEqual([])
  const waiting = resumed({ session: open, topics: ['status'], awaited: ['cabins'] })
  followed.length = 0
  room.leave(waiting)
  expect(followed).toEqual([[]])
  const client = authenticated()
  send(client, subscribe('players'))
  room.leave(client)
  await settled()
  expect(followed.at(-1)).toEqual([])
})

test('a new client follows nothing, and is sent nothing of a topic', () => {
  expect(newClient).toMatchObject({ topics: [], awaited: [] })
  expect(channelsOf(newClient)).toEqual([])
  expect(channelsOf({ ...newClient, session: open, topics: ['status'] })).toEqual(['chat', 'status'])
})
