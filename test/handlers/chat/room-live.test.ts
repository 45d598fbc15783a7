/** Snapshots and events, and their order; without a socket. */
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { channelsOf, newClient } from '../../../handlers/chat/room-client.ts'
import { cabins } from '../../../handlers/endpoints/cabins.ts'
import { FarmError } from '../../../handlers/farm-error.ts'
import {
  neverSeen,
  type Players,
  type Status,
  status as statusRecord,
} from '../../../handlers/game-records.ts'
import { aRoom, first, open, payloads, settled, type TestClient, types } from './a-room.ts'

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
