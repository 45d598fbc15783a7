/** Which clients stay connected while the game is offline; without a socket. */
import { describe, expect, test } from 'vitest'
import { sayLines } from '../../../handlers/chat/say.ts'
import { FarmError, type FarmFailure } from '../../../handlers/farm-error.ts'
import { neverSeen } from '../../../handlers/game-records.ts'
import { aRoom, key, open, payloads, settled, types } from './a-room.ts'

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
  health.awaySince = clock.now
  expect(authenticated().closed).toEqual(offline)
  delete health.awaySince
  delete health.chatLostAt
  delete health.snapshotAt
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

const unavailable = () => Promise.reject(new FarmError({ kind: 'unavailable' }))

test('lines are sent to the game one after another, in the order in which clients sent them', async () => {
  const said: string[] = []
  const waiting: (() => void)[] = []
  const { authenticated, send, counts } = aRoom({
    sendChat: ({ message }) => {
      said.push(message)
      return new Promise<void>((resolve) => void waiting.push(resolve))
    },
  })
  const client = authenticated()
  for (const message of ['one', 'two'])
    send(client, { type: 'chat_send', payload: { author: 'Bot', message } })
  await settled()
  expect(said).toEqual(['one'])
  waiting.shift()?.()
  await settled()
  expect([said, counts.linesSaid.total]).toEqual([['one', 'two'], 1])
})

test('a client whose line waits for the game delays no other client', async () => {
  const said: string[] = []
  const { authenticated, send } = aRoom({
    sendChat: async ({ author, message }) => {
      if (author === 'Stuck') await new Promise(() => undefined)
      said.push(message)
    },
  })
  send(authenticated(), { type: 'chat_send', payload: { author: 'Stuck', message: 'never' } })
  send(authenticated(), { type: 'chat_send', payload: { author: 'Other', message: 'at once' } })
  await settled()
  expect(said).toEqual(['at once'])
})

describe('chat_send with an id', () => {
  const say = { type: 'chat_send', payload: { author: 'Bot', message: 'hello', id: 'mine' } }

  test('is answered by chat_sent once all its lines were said', async () => {
    const said = Promise.withResolvers<void>()
    const { authenticated, send } = aRoom({ sendChat: () => said.promise })
    const client = authenticated()
    send(client, say)
    await settled()
    expect(types(client)).toEqual(['auth_success'])
    said.resolve()
    await settled()
    expect(client.heard.at(-1)).toEqual({ type: 'chat_sent', payload: { id: 'mine' } })
  })

  test('is repeated in the error when it was not said', async () => {
    const { authenticated, send } = aRoom({ sendChat: unavailable })
    const client = authenticated({ since: 0 })
    send(client, say)
    await settled()
    expect(payloads(client, 'error')).toEqual([
      { code: 'game_unavailable', error: expect.any(String), id: 'mine' },
    ])
  })

  test('without an id nothing is answered', async () => {
    const { authenticated, send } = aRoom({ sendChat: async () => undefined })
    const client = authenticated()
    send(client, { type: 'chat_send', payload: { author: 'Bot', message: 'hello' } })
    await settled()
    expect(types(client)).toEqual(['auth_success'])
  })
})

test('a line of a client that stays is answered by error when it cannot be said', async () => {
  const { authenticated, send } = aRoom({ sendChat: unavailable })
  const client = authenticated({ since: 0 })
  send(client, { type: 'chat_send', payload: { author: 'Bot', message: 'anybody?' } })
  await settled()
  expect(payloads(client, 'error')).toEqual([
    { code: 'game_unavailable', error: expect.stringContaining('not delivered') },
  ])
  expect(client.closed).toBeUndefined()
})

const hello = { type: 'chat_send', payload: { author: 'Bot', message: 'hello', id: 1 } }
/** More pauses of a room than a line is held. */
const longer = async () => {
  for (let pauses = 0; pauses < 20; pauses += 1) await settled()
}

test('lines of the other clients are held for the two seconds before their close, and are said in order when the chat is back', async () => {
  const said: string[] = []
  const { room, clock, health, authenticated, send } = aRoom({
    sendChat: async ({ message }) => void said.push(message),
  })
  const client = authenticated()
  health.chatLostAt = clock.now
  for (const message of ['one', 'two', 'three'])
    send(client, { type: 'chat_send', payload: { author: 'Bot', message } })
  clock.now += 1_999
  room.closeForOfflineGame()
  await longer()
  expect([said, types(client)]).toEqual([[], ['auth_success']])
  delete health.chatLostAt
  await longer()
  expect([said, types(client), client.closed]).toEqual([['one', 'two', 'three'], ['auth_success'], undefined])
})

test('that close is their refusal: they get no error, and are never said later', async () => {
  const { room, clock, health, refused, authenticated, send } = aRoom()
  const client = authenticated()
  const leaving = authenticated()
  health.chatLostAt = clock.now
  for (const one of [client, client, leaving]) send(one, hello)
  await longer()
  room.leave(leaving)
  clock.now += 2_000
  room.closeForOfflineGame()
  delete health.chatLostAt
  await longer()
  expect([types(client), client.closed]).toEqual([['auth_success'], offline])
  expect(refused).toEqual(Array(3).fill(['game_unavailable', 1]))
})

test('a line that the game refuses before the loss of its chat is known is tried again for a while, then answered by error', async () => {
  let tries = 0
  const { authenticated, send } = aRoom({
    sendChat: async () => {
      tries += 1
      if (tries !== 3) throw new FarmError({ kind: 'unavailable' })
    },
  })
  const client = authenticated()
  send(client, hello)
  await longer()
  expect(types(client)).toEqual(['auth_success', 'chat_sent'])
  send(client, hello)
  await longer()
  expect([types(client).at(-1), tries]).toEqual(['error', 9])
})

test('a client that uses since while its line is held gets an error', async () => {
  const { clock, health, authenticated, send } = aRoom({ sendChat: unavailable })
  const client = authenticated()
  health.chatLostAt = clock.now
  send(client, hello)
  send(client, { type: 'auth', payload: { token: key, since: 0 } })
  await longer()
  expect(payloads(client, 'error')).toMatchObject([{ code: 'game_unavailable', id: 1 }])
})

test('lines that were not said are reported to the metric and the log with their error code', async () => {
  const { authenticated, send, refused } = aRoom({ sendChat: unavailable })
  const client = authenticated({ since: 0 })
  send(client, { type: 'chat_send', payload: { author: 'Bot', message: '' } })
  send(client, { type: 'chat_send', payload: { author: 'Bot', message: 'x'.repeat(900) } })
  await settled()
  expect(refused).toEqual([
    ['invalid_payload', 1],
    ['game_unavailable', 2],
  ])
})

/** A game that accepts some lines and then fails. */
const failing = (after: number, error: unknown) => {
  let taken = 0
  return {
    async sendChat() {
      if (taken === after) throw error
      taken += 1
    },
  }
}
const failure = (what: FarmFailure) => new FarmError(what)
const say = (game: Parameters<typeof sayLines>[0]) =>
  sayLines(game, { author: 'Discord', lines: ['one', 'two'] }, () => true)

test('a delivered message produces no error', async () => {
  expect(await say(failing(9, failure({ kind: 'unavailable' })))).toBeUndefined()
})

test('a line that was certainly not sent is game_unavailable, and says whether the game is unreachable', async () => {
  expect(await say(failing(0, failure({ kind: 'unavailable' })))).toEqual({
    code: 'game_unavailable',
    lines: 2,
    isUnreachable: true,
  })
  for (const what of [
    { kind: 'unavailable', because: 'key_refused' },
    { kind: 'not_ready' },
    { kind: 'timeout', write: false },
    { kind: 'bad_response', detail: 'refused before it was sent' },
    { kind: 'unsupported', what: 'chat' },
  ] satisfies FarmFailure[])
    expect(await say(failing(0, failure(what)))).toEqual({ code: 'game_unavailable', lines: 2 })
})

test.each([
  [0, failure({ kind: 'unavailable' }), 'The game server is not reachable; the message was not delivered'],
  [
    1,
    failure({ kind: 'unavailable' }),
    'The game server is no longer reachable; only the beginning of the message was delivered',
  ],
  [
    1,
    failure({ kind: 'timeout', write: true }),
    'The answer of the game server was lost; whether the message was delivered is unknown',
  ],
])('after %i delivered lines the error of %s says what was delivered', async (after, error, sentence) => {
  const { authenticated, send, counts } = aRoom(failing(after, error))
  const client = authenticated({ since: 0 })
  send(client, { type: 'chat_send', payload: { author: 'Bot', message: 'x'.repeat(900) } })
  await settled()
  expect(payloads(client, 'error')).toMatchObject([{ error: sentence }])
  expect(counts.linesSaid.total).toBe(after)
})

test('a line whose answer is lost is outcome_unknown', async () => {
  for (const error of [
    failure({ kind: 'timeout', write: true }),
    failure({ kind: 'bad_response', write: true, detail: 'no JSON' }),
    new Error('a bug'),
  ])
    expect(await say(failing(1, error))).toEqual({ code: 'outcome_unknown', lines: 1 })
})
