/** What each scope of a key allows on `/ws`, also when the scopes change while a client is connected. */
import { describe, expect, test } from 'vitest'
import { messageCatalogue } from '../../../handlers/chat/catalogue.ts'
import { keyLines } from '../../../handlers/chat/key-lines.ts'
import { placesOfKey } from '../../../handlers/chat/limits.ts'
import { channelsOf } from '../../../handlers/chat/room-client.ts'
import { neverSeen } from '../../../handlers/game-records.ts'
import {
  allows,
  apiKeyHolder,
  type KeyHolder,
  mayHear,
  type Scope,
  scopes,
} from '../../../handlers/key-holder.ts'
import { aRoom, first, payloads, settled, type TestClient, types } from './a-room.ts'

const say = (id: string) => ({ type: 'chat_send', payload: { author: 'Bot', message: id, id } })
const follow = { type: 'subscribe', payload: { topics: ['players', 'status'] } }
const noPlayers = { players: [], version: 1 }
const joined = {
  type: 'player_joined',
  player: { id: 2n ** 53n + 1n, name: 'Abby', isOnline: true },
} as const

/** A room whose clients send the scopes of their key as their token: `read chat`. */
function scoped(game: Parameters<typeof aRoom>[0] = {}) {
  const said: string[] = []
  /** The current scopes of each key; a missing key is revoked. */
  const keys = new Map<string, readonly Scope[]>()
  const holderOf = (id: string): KeyHolder | undefined => {
    const held = keys.get(id)
    return held && { id, name: id, scopes: held, ref: id }
  }
  const setting = aRoom({
    verify: (token) => holderOf(token) ?? 'wrong',
    current: ({ ref }) => holderOf(ref),
    sendChat: async ({ message }) => void said.push(message),
    players: async () => noPlayers,
    status: async () => neverSeen,
    ...game,
  })
  const auth = (client: TestClient, held: readonly Scope[], payload: object = {}) => {
    const token = held.join(' ')
    keys.set(token, held)
    setting.send(client, { type: 'auth', payload: { token, ...payload } })
  }
  return {
    ...setting,
    said,
    auth,
    /** A client with a key of these scopes. */
    client(...held: Scope[]) {
      const client = setting.enter()
      auth(client, held)
      return client
    },
    /** Changes the scopes of a key; without scopes, revokes it. */
    change(key: string, held?: readonly Scope[]) {
      if (held === undefined) keys.delete(key)
      else keys.set(key, held)
      setting.room.keysChanged()
    },
  }
}

describe.each(scopes)('a key of the scope %s', (scope) => {
  const holder = { id: scope, name: scope, scopes: [scope], ref: scope }
  const mayRead = allows(holder, 'read')
  const mayChat = allows(holder, 'chat')

  test('is accepted on /ws, and receives the chat when it has read, chat or admin', () => {
    const { client, line } = scoped()
    const one = client(scope)
    line('hello')
    expect([types(one), one.closed]).toEqual([
      mayHear(holder) ? ['auth_success', 'chat'] : ['auth_success', 'error'],
      undefined,
    ])
    expect(payloads(one, 'error').map((error) => error['scope'])).toEqual(mayHear(holder) ? [] : ['read'])
    expect(mayHear(holder)).toBe(scope !== 'control')
  })

  test('says lines when it has chat or admin; otherwise the error insufficient_scope names chat, and the socket stays', async () => {
    const { client, send, said, refused } = scoped()
    const one = client(scope)
    send(one, say('l1'))
    await settled()
    const answer = {
      code: 'insufficient_scope',
      scope: 'chat',
      error: 'This key lacks the scope chat',
      id: 'l1',
    }
    if (mayChat) expect(payloads(one, 'chat_sent')).toEqual([{ id: 'l1' }])
    else expect(payloads(one, 'error')).toContainEqual(answer)
    expect([said, refused, one.closed]).toEqual(
      mayChat ? [['l1'], [], undefined] : [[], [['insufficient_scope', 1]], undefined],
    )
  })

  test('follows topics when it has read or admin; otherwise the error insufficient_scope names read, and the socket stays', async () => {
    const { room, client, send } = scoped()
    const one = client(scope)
    send(one, follow)
    await settled()
    room.heard(joined)
    const reported = types(one).filter((type) => ['subscribed', 'snapshot', 'event'].includes(type))
    if (mayRead) expect(reported).toEqual(['subscribed', 'snapshot', 'snapshot', 'event'])
    else
      expect([reported, payloads(one, 'error').at(-1), one.closed]).toEqual([
        [],
        { code: 'insufficient_scope', scope: 'read', error: 'This key lacks the scope read' },
        undefined,
      ])
    expect(mayRead).toBe(scope === 'read' || scope === 'admin')
  })

  test('may ping', () => {
    const { client, send } = scoped()
    const one = client(scope)
    send(one, { type: 'ping' })
    expect(types(one).at(-1)).toBe('pong')
  })
})

test('the documents name the scope that each message requires', async () => {
  const judged: Record<string, Scope | undefined> = {}
  for (const { type, from, example } of messageCatalogue) {
    if (from !== 'client' || type === 'auth') continue
    const { client, send } = scoped()
    const one = client('control')
    const before = one.heard.length
    send(one, example)
    judged[type] = (one.heard[before]?.payload as { scope?: Scope } | undefined)?.scope
  }
  const documented = messageCatalogue.filter(({ type, from }) => from === 'client' && type !== 'auth')
  expect(judged).toEqual(Object.fromEntries(documented.map(({ type, scope }) => [type, scope])))
})

describe('while a client is connected', () => {
  test('a socket whose key loses read receives nothing more, and stays', async () => {
    const { room, client, send, line, change, auth } = scoped()
    const one = client('read')
    send(one, follow)
    await settled()
    change('read', ['control'])
    const before = one.heard.length
    line('not for you')
    room.heard(joined)
    expect([one.heard.slice(before), one.closed]).toEqual([[], undefined])

    auth(one, ['read', 'chat'])
    line('for you again')
    room.heard(joined)
    expect(types(one).slice(before)).toEqual(['auth_success', 'chat'])
  })

  test('lines from the time without read are sent to a client with since once it has read again', () => {
    const { client, line, change, auth } = scoped()
    const one = client('read')
    line('one')
    change('read', ['control'])
    line('two')
    auth(one, ['chat'], { since: first })
    expect(payloads(one, 'chat').map(({ message }) => message)).toEqual(['one', 'two'])
  })

  test('a pending snapshot is not sent when the key loses read', async () => {
    const { promise, resolve } = Promise.withResolvers<typeof noPlayers>()
    const { client, send, change } = scoped({ players: () => promise })
    const one = client('read')
    send(one, { type: 'subscribe', payload: { topics: ['players'] } })
    change('read', ['control'])
    resolve(noPlayers)
    await settled()
    expect(types(one)).toEqual(['auth_success', 'subscribed'])
  })

  test('a socket whose key is revoked is closed with 1008, and is sent nothing more', () => {
    const { client, line, change } = scoped()
    const [one, other] = [client('chat'), client('read')]
    change('chat')
    line('later')
    expect(one.closed).toEqual({ code: 1008, reason: 'The key is no longer valid' })
    expect([types(one), types(other), other.closed]).toEqual([
      ['auth_success'],
      ['auth_success', 'chat'],
      undefined,
    ])
  })

  test('a message of an expired key is not handled: the socket is closed with 1008', async () => {
    const gone = new Set<string>()
    const holder = { id: 'bot', name: 'bot', scopes: ['chat'], ref: 'bot' } as const
    const { enter, send } = aRoom({
      verify: () => holder,
      current: ({ ref }) => (gone.has(ref) ? undefined : holder),
    })
    const one = enter()
    send(one, { type: 'auth', payload: { token: 'a key' } })
    gone.add('bot')
    send(one, say('too late'))
    await settled()
    expect([types(one), one.closed?.code]).toEqual([['auth_success'], 1008])
  })

  test('lines that wait to be said are dropped when their key is revoked', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const said: string[] = []
    const { client, send, change, refused } = scoped({
      sendChat: async ({ message }) => {
        said.push(message)
        await promise
      },
    })
    const one = client('chat')
    send(one, say('first'))
    send(one, say('second'))
    await settled()
    change('chat')
    resolve()
    await settled()
    expect([said, refused]).toEqual([['first'], [['insufficient_scope', 1]]])
  })
})

test('the rest of a message is not said when its key loses chat, and its error names the scope', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { client, send, change, refused } = scoped({ sendChat: () => promise })
  const one = client('chat')
  send(one, { type: 'chat_send', payload: { author: 'Bot', message: 'x'.repeat(1000), id: 'l1' } })
  await settled()
  change('chat', ['read'])
  resolve()
  await settled()
  expect(refused).toEqual([['insufficient_scope', 2]])
  expect(payloads(one, 'error')).toMatchObject([{ error: 'This key lacks the scope chat', id: 'l1' }])
})

test('the log of the game is for clients with the scope admin, and ends when their key loses it', async () => {
  const { client, send, change, room } = scoped()
  const followed = { type: 'subscribe', payload: { topics: ['players', 'log'] } }
  const reader = client('read', 'control')
  send(reader, followed)
  expect(reader.heard.at(-1)).toMatchObject({ type: 'error', payload: { scope: 'admin' } })
  const admin = client('admin')
  send(admin, followed)
  await settled()
  expect(channelsOf(admin.state)).toEqual(['chat', 'gap', 'players', 'log'])
  expect(channelsOf(reader.state)).not.toContain('log')
  room.heard({ type: 'log', text: 'a line' })
  room.heard({ type: 'log_gap', lines: 3 })
  const lines = [
    { type: 'event', payload: { topic: 'log', text: 'a line' } },
    { type: 'gap', payload: { topic: 'log', lines: 3 } },
  ]
  expect(admin.heard.slice(-2)).toEqual(lines)
  expect(reader.heard).not.toContainEqual(lines[0])
  change('admin', ['admin', 'chat'])
  expect(channelsOf(admin.state)).toEqual(['chat', 'gap', 'players', 'log'])
  change('admin', ['read'])
  expect(channelsOf(admin.state)).toEqual(['chat', 'gap', 'players'])
  change('admin', ['control'])
  expect(channelsOf(admin.state)).toEqual([])
})

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

test('a key may have a quarter of all clients, and at least one', () => {
  expect([400, 7, 3].map(placesOfKey)).toEqual([100, 1, 1])
})

test('a session whose cookie came with the handshake has as many clients as a key', () => {
  const { enter } = aRoom({ maxPerKey: 2 })
  const session = { ...bot, account: { id: 'a1', provider: 'discord', name: 'Abby' } } as const
  expect([1, 2, 3].map(() => enter(session).closed?.code)).toEqual([undefined, undefined, 1013])
})

test('all sessions without scopes have together the clients of one key, and no one else is counted with them', () => {
  const { enter, send } = aRoom({
    maxPerKey: 2,
    verify: (token) => (token === 'bot' ? bot : { ...named(token), scopes: [] }),
  })
  const opened = (token: string) => {
    const client = enter()
    send(client, { type: 'auth', payload: { token } })
    return client.closed?.code
  }
  expect(['bot', 'one', 'another', 'a third', 'bot', 'bot'].map(opened)).toEqual([
    ...[undefined, undefined, undefined, 1013],
    ...[undefined, 1013],
  ])
})
