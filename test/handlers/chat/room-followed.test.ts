/** The topics that a room reports as followed. */
import { expect, test } from 'vitest'
import { channelsOf, newClient } from '../../../handlers/chat/room-client.ts'
import { neverSeen, type Players, type Status } from '../../../handlers/game-records.ts'
import { aRoom, open, settled } from './a-room.ts'

const subscribe = (...topics: string[]) => ({ type: 'subscribe', payload: { topics } })

const players = async (): Promise<Players> => ({ players: [], version: 1 })

const statusAt = (timeOfDay: number): Status => ({ ...neverSeen, isOnline: true, timeOfDay })

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
