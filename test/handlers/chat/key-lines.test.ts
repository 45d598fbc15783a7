/** The rate of lines and the number of clients of a named key. */
import { expect, test } from 'vitest'
import { keyLines } from '../../../handlers/chat/key-lines.ts'
import { apiKeyHolder, type KeyHolder } from '../../../handlers/key-holder.ts'
import { aRoom } from './a-room.ts'

const named = (id: string): KeyHolder => ({ id, name: id, scopes: ['chat'], ref: `fg_${id}` })
const bot = named('bot')
const startedAt = 1_795_262_400_000

test('a named key has 60 lines at once and then 6 a second over all its clients; API_KEY and other keys have their own', () => {
  const take = keyLines()
  const taken = (holder: KeyHolder, at: number, times = 1000) =>
    Array.from({ length: times }, () => take(holder, 1, at)).filter(Boolean).length
  expect(taken(bot, startedAt)).toBe(60)
  expect(taken(bot, startedAt + 1000)).toBe(6)
  expect(taken(named('other'), startedAt + 1000)).toBe(60)
  expect(taken(apiKeyHolder(), startedAt)).toBe(1000)
  expect(taken(bot, startedAt + 3_600_000)).toBe(60)
})

test("a message takes none of a key's lines unless the key has enough for all of them", () => {
  const take = keyLines()
  expect([take(bot, 55, startedAt), take(bot, 6, startedAt), take(bot, 5, startedAt)]).toEqual([
    true,
    false,
    true,
  ])
})

test('a clock that was set back gives a key no more lines, and does not stop it', () => {
  const take = keyLines()
  expect([take(bot, 60, startedAt), take(bot, 1, 0), take(bot, 1, 1000)]).toEqual([true, false, true])
})

test('hundreds of keys do not make the server forget a key that has used up its lines', () => {
  const take = keyLines()
  take(bot, 60, startedAt)
  for (let key = 0; key < 500; key += 1) take(named(`key ${key}`), 1, startedAt)
  expect(take(bot, 1, startedAt)).toBe(false)
})

test('a named key has a limited number of clients, API_KEY any number; a client that leaves makes room', () => {
  const { enter, send, room } = aRoom({
    maxPerKey: 2,
    verify: (token) => (token === 'api key' ? apiKeyHolder() : named(token)),
  })
  const opened = (token: string) => {
    const client = enter()
    send(client, { type: 'auth', payload: { token } })
    return client
  }
  const first = opened('bot')
  const clients = [opened('bot'), opened('other'), ...Array.from({ length: 5 }, () => opened('api key'))]
  const tooMany = { code: 1013, reason: 'Too many clients of this key' }
  expect(opened('bot').closed).toEqual(tooMany)
  expect([first, ...clients].map(({ closed }) => closed)).toEqual(Array(8).fill(undefined))
  send(first, { type: 'auth', payload: { token: 'bot' } })
  expect(first.closed).toBeUndefined()
  room.leave(first)
  expect(opened('bot').closed).toBeUndefined()
})

test('all sessions without scopes have together the clients of one key', () => {
  const { enter, send } = aRoom({ maxPerKey: 2, verify: (token) => ({ ...named(token), scopes: [] }) })
  const opened = (token: string) => {
    const client = enter()
    send(client, { type: 'auth', payload: { token } })
    return client.closed?.code
  }
  expect(['one', 'another', 'a third'].map(opened)).toEqual([undefined, undefined, 1013])
})
