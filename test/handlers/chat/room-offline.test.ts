/** Which clients stay connected while the game is offline; without a socket. */
import { expect, test } from 'vitest'
import { neverSeen } from '../../../handlers/game-records.ts'
import { aRoom, open, settled, types } from './a-room.ts'

const offline = { code: 1013, reason: 'The game server is away' }
const status = async () => neverSeen

test('a client that has used neither since nor subscribe is closed 1013 once the game has been offline for 10 s', () => {
  const { room, clock, health, authenticated } = aRoom()
  const client = authenticated()
  room.closeForOfflineGame()
  health.awaySince = clock.now
  clock.now += 9_999
  room.closeForOfflineGame()
  expect([client.closed, room.nextClose]).toEqual([undefined, clock.now + 1])
  clock.now += 1
  room.closeForOfflineGame()
  expect([client.closed, room.nextClose]).toEqual([offline, undefined])
})

test('the same client is closed 1013 two seconds after the game reset or refused the chat, unless it is back', () => {
  const { room, clock, health, authenticated } = aRoom()
  const client = authenticated()
  const resuming = authenticated({ since: 0 })
  health.chatLostAt = clock.now
  clock.now += 1_999
  room.closeForOfflineGame()
  expect([client.closed, room.nextClose]).toEqual([undefined, clock.now + 1])
  clock.now += 1
  room.closeForOfflineGame()
  expect([client.closed, resuming.closed, room.nextClose]).toEqual([offline, undefined, undefined])
  expect(authenticated().closed).toEqual(offline)
  delete health.chatLostAt
  expect(types(authenticated())).toEqual(['auth_success'])
})

test('a chat that is back within two seconds closes no client', () => {
  const { room, clock, health, authenticated } = aRoom()
  const client = authenticated()
  health.chatLostAt = clock.now
  clock.now += 1_500
  delete health.chatLostAt
  clock.now += 10_000
  room.closeForOfflineGame()
  expect([client.closed, room.nextClose]).toEqual([undefined, undefined])
})

test('a client that has used since or subscribe stays', async () => {
  const { room, clock, health, authenticated, send } = aRoom({ status })
  const resumed = authenticated({ since: 0 })
  const subscribed = authenticated()
  send(subscribed, { type: 'subscribe', payload: { topics: ['status'] } })
  await settled()
  health.awaySince = clock.now
  clock.now += 60_000
  room.closeForOfflineGame()
  expect([resumed.closed, subscribed.closed, room.nextClose]).toEqual([undefined, undefined, undefined])
})

test('auth is answered by that close until the game is back', () => {
  const { clock, health, authenticated } = aRoom()
  health.awaySince = clock.now
  clock.now += 9_999
  expect(types(authenticated())).toEqual(['auth_success'])
  clock.now += 1
  const refused = authenticated()
  expect([types(refused), refused.closed]).toEqual([[], offline])
  expect(types(authenticated({ since: 0 }))).toContain('auth_success')
  delete health.awaySince
  expect(types(authenticated())).toEqual(['auth_success'])
})

test('without a key set, a client that connects meanwhile has two seconds to use since or subscribe', () => {
  const { room, clock, health, enter, send } = aRoom({ keyRequired: false })
  health.awaySince = clock.now
  clock.now += 30_000
  const plain = enter()
  const resuming = enter()
  room.closeForOfflineGame()
  send(resuming, { type: 'auth', payload: { since: 0 } })
  clock.now += 2_000
  room.closeForOfflineGame()
  expect([plain.closed, resuming.closed]).toEqual([offline, undefined])
})

test('a game that was never reached counts as offline from the moment a client connects', () => {
  const { room, clock, health, resumed } = aRoom()
  const client = resumed({ session: open, topics: [], awaited: [] })
  delete health.snapshotAt
  clock.now += 10_000
  health.awaySince = clock.now
  room.closeForOfflineGame()
  expect(client.closed).toEqual(offline)
})

test('the next close is the earliest of all clients', () => {
  const { room, clock, health, enter } = aRoom({ keyRequired: false })
  enter()
  health.awaySince = clock.now
  clock.now += 9_000
  enter()
  clock.now += 500
  enter()
  expect(room.nextClose).toBe(health.awaySince + 10_000)
})

test('no client must be closed while the game is online', () => {
  const { room, clock, authenticated } = aRoom()
  const client = authenticated()
  clock.now += 60_000
  room.closeForOfflineGame()
  expect([room.nextClose, client.closed]).toEqual([undefined, undefined])
})

test('a game that answered before counts as offline from its last answer, not from when a client connected', () => {
  const { room, clock, health, resumed } = aRoom()
  const client = resumed({ session: open, topics: [], awaited: [] })
  clock.now += 20_000
  health.awaySince = clock.now
  clock.now += 9_999
  room.closeForOfflineGame()
  expect(client.closed).toBeUndefined()
})

test('an unauthenticated client is not closed because of the game', () => {
  const { room, clock, health, enter } = aRoom()
  const client = enter()
  health.awaySince = clock.now
  clock.now += 60_000
  room.closeForOfflineGame()
  expect([room.nextClose, client.closed]).toEqual([undefined, undefined])
})
