/** How each message and frame of `/ws` is answered, without a socket. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { opened, step, unauthenticated } from '../../../handlers/chat/client-session.ts'
import { authFailed, authSuccess, pong } from '../../../handlers/chat/messages.ts'
import type { ChatRules, ChatState } from '../../../handlers/chat/session-steps.ts'
import { withoutKey as keyless } from '../../../handlers/key-holder.ts'
import {
  asked,
  errorCode,
  holder,
  key,
  open,
  opening,
  others,
  say,
  send,
  staying,
  text,
  whileOffline,
  withKey,
  withoutKey,
} from './a-session.ts'

/** A message whose JSON has so many levels. */
const nested = (levels: number) =>
  `{"type":"chat_send","payload":${'{"a":'.repeat(levels - 1)}1${'}'.repeat(levels - 1)}}`

describe('after auth', () => {
  test('ping: pong', () => {
    expect([JSON.parse(pong()), JSON.parse(authSuccess())]).toEqual([
      { type: 'pong' },
      { type: 'auth_success' },
    ])
    expect(send({ type: 'ping' })).toEqual({ state: opening({ pings: 59 }), send: [pong()] })
  })

  test('chat_send: said in the game, not echoed', () => {
    expect(send(say(' Discord\n', ' hello\u0007 '), open, 5)).toEqual({
      state: opening({ lines: 59, at: 5 }),
      send: [],
      task: { do: 'say', author: 'Discord', lines: ['hello'], holder },
    })
  })

  test('a chat_send with payload null is answered without an id', () => {
    const { send: sent, refused } = send({ type: 'chat_send', payload: null })
    expect([sent.map(errorCode), refused]).toEqual([
      ['invalid_payload'],
      { code: 'invalid_payload', lines: 1 },
    ])
  })

  test('chat_send over 450 is said in several lines', () => {
    expect(send(say('a', 'x'.repeat(4000))).task).toEqual({
      do: 'say',
      author: 'a',
      lines: [...Array(8).fill('x'.repeat(450)), 'x'.repeat(400)],
      holder,
    })
  })

  test('chat_send with a text or a safe integer as id: the line is said with that id', () => {
    for (const id of ['1', 'x'.repeat(64), '', 0, -5, Number.MAX_SAFE_INTEGER])
      expect(send({ type: 'chat_send', payload: { author: 'a', message: 'b', id } }).task).toMatchObject({
        do: 'say',
        id,
      })
    const unnamed = send({ type: 'chat_send', payload: { author: 'a', message: 'b', id: null } }).task
    expect(unnamed).not.toHaveProperty('id')
  })

  test('the error of a refused line repeats its id', () => {
    const refusals = [
      { author: 'a', message: ' ', id: 7 },
      { author: 'a', message: 'x'.repeat(4001), id: 7 },
      { author: 'a', id: 7 },
    ].map((payload) => JSON.parse(send({ type: 'chat_send', payload }).send[0] ?? ''))
    expect(refusals.map(({ payload }) => payload.id)).toEqual([7, 7, 7])
  })

  test('an invalid id: error invalid_payload, without an id', () => {
    for (const id of ['x'.repeat(65), 1.5, 2 ** 53, {}, true]) {
      const { send: sent, task } = send({ type: 'chat_send', payload: { author: 'a', message: 'b', id } })
      const { payload } = JSON.parse(sent[0] ?? '')
      expect([payload.code, 'id' in payload, task]).toEqual(['invalid_payload', false, undefined])
    }
  })

  test.each([
    ['malformed', '{'],
    ['malformed', ''],
    ['malformed', 'null'],
    ['malformed', '[]'],
    ['malformed', { payload: {} }],
    ['malformed', { type: 5 }],
    ['malformed', nested(65)],
    ['invalid_payload', nested(64)],
    ['unknown_type', { type: 'nothing' }],
    ['unknown_type', { type: 'PING' }],
    ['unknown_type', { type: 'chat' }],
    ['invalid_payload', { type: 'chat_send' }],
    ['invalid_payload', { type: 'chat_send', payload: 'text' }],
    ['invalid_payload', { type: 'chat_send', payload: { author: 'a' } }],
    ['invalid_payload', { type: 'chat_send', payload: { author: 5, message: 'b' } }],
    ['invalid_payload', say('a', ' \n ')],
    ['message_too_long', say('a', 'x'.repeat(4001))],
    ['invalid_payload', { type: 'ping', payload: 'text' }],
    ['invalid_payload', { type: 'subscribe', payload: { topics: [] } }],
    ['invalid_payload', { type: 'subscribe', payload: { topics: 'players' } }],
    ['unknown_topic', { type: 'subscribe', payload: { topics: ['players', 'weather'] } }],
    ['unknown_topic', { type: 'subscribe', payload: { topics: ['Players'] } }],
  ])('error %s, the connection stays: %j', (code, message) => {
    const { state, send: sent, close, task } = send(message)
    expect([sent.map(errorCode), state.phase, close, task]).toEqual([[code], 'open', undefined, undefined])
  })

  test.each([
    ['{', 'A message is a JSON object with a type'],
    [{ type: 'nothing' }, 'Unknown message type; known are auth, ping, chat_send, subscribe'],
    [{ type: 'ping', payload: 'text' }, 'payload must be an object'],
    [
      { type: 'chat_send' },
      'chat_send needs an author and a message; an id is a text of up to 64 units or an integer',
    ],
    [say('a', ' '), 'message is blank'],
    [say('a', 'x'.repeat(4001)), 'message must have at most 4000 characters'],
    [{ type: 'subscribe', payload: { topics: [] } }, 'subscribe needs a list of topics'],
    [{ type: 'subscribe', payload: null }, 'subscribe needs a list of topics'],
    [
      { type: 'subscribe', payload: { topics: ['weather'] } },
      'Known topics are players, status, cabins, log',
    ],
    [
      { type: 'auth', payload: { token: key, since: 'yesterday' } },
      'since must be the seq of a chat line, or "now"',
    ],
  ])('the error for %j says in a sentence: %s', (message, sentence) => {
    const errors = send(message).send.map((text) => JSON.parse(text).payload?.error)
    expect(errors.filter((error) => error !== undefined)).toEqual([sentence])
  })

  test('a refused line is reported to the metric and the log', () => {
    const { refused } = send(say('a', ''))
    expect(refused).toEqual({ code: 'invalid_payload', lines: 1 })
    expect(send({ type: 'chat_send' }).refused).toEqual({ code: 'invalid_payload', lines: 1 })
    expect(send({ type: 'nothing' }).refused).toBeUndefined()
  })

  test('binary: close 1003', () => {
    expect(step(open, { type: 'binary' }, withKey)).toMatchObject({
      state: { phase: 'closed' },
      close: { code: 1003, reason: 'Text frames only' },
    })
  })

  test('subscribe: each topic once, in the order of the contract', () => {
    expect(send({ type: 'subscribe', payload: { topics: ['cabins', 'players', 'cabins'] } })).toEqual({
      state: asked(true),
      send: [],
      task: { do: 'subscribe', topics: ['players', 'cabins'] },
    })
  })
})

test('a closed client is sent no answer, whatever it sends', () => {
  for (const input of [...others, { type: 'deadline' } as const, { type: 'game_away' } as const])
    expect(step({ phase: 'closed' }, input, withKey)).toEqual({ state: { phase: 'closed' }, send: [] })
})

test('for any input nothing throws, every text sent is JSON and the state can be stored as JSON', () => {
  const anything = fc.oneof(
    fc.json(),
    fc.string({ unit: 'binary' }),
    fc
      .record({
        type: fc.constantFrom('auth', 'ping', 'chat_send', 'subscribe'),
        payload: fc.oneof(
          fc.jsonValue(),
          fc.record({ author: fc.string(), message: fc.string() }),
          fc.record({ token: fc.constantFrom(key, 'wrong') }),
        ),
      })
      .map((message) => JSON.stringify(message)),
  )
  fc.assert(
    fc.property(fc.array(anything), fc.boolean(), (texts, keyRequired) => {
      let { state } = opened(keyRequired)
      for (const [at, given] of texts.entries()) {
        const next = step(state, text(given, at), { ...withKey, keyRequired })
        for (const sent of next.send) expect(JSON.parse(sent)).toHaveProperty('type')
        state = JSON.parse(JSON.stringify(next.state))
        expect(state).toEqual(next.state)
      }
    }),
  )
})

describe('with a key set', () => {
  test('a new client is unauthenticated and is sent nothing', () => {
    expect(opened(true)).toEqual({ state: unauthenticated, send: [] })
  })

  test('auth with the right key: auth_success; from then on messages are sent', () => {
    expect(step(unauthenticated, text({ type: 'auth', payload: { token: key } }), withKey)).toEqual({
      state: open,
      send: [authSuccess()],
      task: { do: 'listen' },
    })
  })

  test('auth with the since "now": the lines from the next one on, and the client stays while the game is offline', () => {
    const { state, send, task } = step(
      unauthenticated,
      text({ type: 'auth', payload: { token: key, since: 'now' } }),
      withKey,
    )
    expect([send, task]).toEqual([['{"type":"auth_success"}'], { do: 'listen' }])
    expect(state).toMatchObject({ phase: 'open', stays: true })
  })

  test('auth with since: missed lines come right after auth_success', () => {
    expect(step(unauthenticated, text({ type: 'auth', payload: { token: key, since: 5 } }), withKey)).toEqual(
      {
        state: staying,
        send: [authSuccess()],
        task: { do: 'listen', since: 5 },
      },
    )
  })

  test.each([-1, 1.5, '5', 'yesterday', 2 ** 60, {}, true])(
    'auth with the invalid since %j: auth_success, then error invalid_payload, and every line from now on',
    (since) => {
      const { send, task } = step(
        unauthenticated,
        text({ type: 'auth', payload: { token: key, since } }),
        withKey,
      )
      expect([send[0], errorCode(send[1])]).toEqual([authSuccess(), 'invalid_payload'])
      expect(task).toStrictEqual({ do: 'listen' })
    },
  )

  test('auth with a wrong key: auth_failed, then close 1008 Authentication failed', () => {
    for (const payload of [{ token: 'wrong' }, { token: 5 }, { token: [key] }, {}, undefined])
      expect(step(unauthenticated, text({ type: 'auth', payload }), withKey)).toEqual({
        state: { phase: 'closed' },
        send: [authFailed('Invalid token')],
        close: { code: 1008, reason: 'Authentication failed' },
      })
  })

  test('auth with wrong keys too often: auth_failed says so, close 1008', () => {
    expect(step(unauthenticated, text({ type: 'auth', payload: { token: 'again' } }), withKey)).toMatchObject(
      {
        send: [expect.stringContaining('Too many')],
        close: { code: 1008, reason: 'Authentication failed' },
      },
    )
  })

  test.each(others)('any other first message: Authenticate first, close 1008: %j', (input) => {
    expect(step(unauthenticated, input, withKey)).toEqual({
      state: { phase: 'closed' },
      send: [authFailed('Authenticate first')],
      close: { code: 1008, reason: 'Authenticate first' },
    })
  })

  test('no auth within the window: Authentication timeout, close 1008', () => {
    expect(step(unauthenticated, { type: 'deadline' }, withKey)).toEqual({
      state: { phase: 'closed' },
      send: [authFailed('Authentication timeout')],
      close: { code: 1008, reason: 'Authentication timeout' },
    })
  })

  test('a deadline that passes after auth does nothing', () => {
    expect(step(open, { type: 'deadline' }, withKey)).toEqual({ state: open, send: [] })
  })

  test('a change of keys does nothing to a client that has not authenticated, and closes one whose key has ended', () => {
    const rules: ChatRules = { ...withKey, current: () => undefined }
    expect(step(unauthenticated, { type: 'keys_changed' }, rules)).toEqual({
      state: unauthenticated,
      send: [],
    })
    expect(step(open, { type: 'keys_changed' }, rules)).toEqual({
      state: { phase: 'closed' },
      send: [],
      close: { code: 1008, reason: 'The key is no longer valid' },
    })
  })

  test('a wrong key on an open socket closes it', () => {
    expect(step(open, text({ type: 'auth', payload: { token: 'wrong' } }), withKey)).toMatchObject({
      state: { phase: 'closed' },
      close: { code: 1008 },
    })
  })

  test('a client that shows no key is compared with none', () => {
    const rules: ChatRules = { ...withKey, verify: () => expect.fail('there is nothing to compare') }
    expect(step(unauthenticated, text({ type: 'auth', payload: null }), rules).state.phase).toBe('closed')
  })

  test('auth_failed carries error both at the top level and in payload', () => {
    expect(JSON.parse(authFailed('Reason'))).toEqual({
      type: 'auth_failed',
      error: 'Reason',
      payload: { error: 'Reason' },
    })
  })
})

describe('with a session whose cookie came with the handshake', () => {
  const account = { id: 'a1', provider: 'discord', name: 'Abby' } as const
  const session = { id: 's1', name: 'Abby', scopes: ['chat'], ref: 's1', account } as const
  const withoutPlace = {
    state: { phase: 'closed' },
    send: [],
    close: { code: 1013, reason: 'Too many clients of this key' },
  }

  test('a client is signed in from the start, and is sent the chat if it may hear it', () => {
    const state = { ...open, holder: session }
    expect(opened(true, session)).toEqual({ state, send: [], task: { do: 'listen' } })
    const stranger = { ...session, scopes: [] }
    expect(opened(true, stranger)).toEqual({ state: { ...open, holder: stranger }, send: [] })
    expect(opened(true, session, false)).toEqual(withoutPlace)
  })

  test('auth without a key keeps the session; without a session it fails', () => {
    const auth = (state: ChatState) => step(state, text({ type: 'auth', payload: { since: 5 } }), withKey)
    expect(auth({ ...open, holder: session })).toEqual({
      state: { ...opening({ requests: 10 }, true), holder: session },
      send: [authSuccess()],
      task: { do: 'listen', since: 5 },
    })
    expect(auth(open).close).toEqual({ code: 1008, reason: 'Authentication failed' })
  })

  test('auth of a key that has no place for one more client: close 1013', () => {
    const full: ChatRules = { ...withKey, hasPlace: () => false }
    expect(step(unauthenticated, text({ type: 'auth', payload: { token: key } }), full)).toEqual(withoutPlace)
  })
})

describe('without a key', () => {
  test('a new client is sent messages at once', () => {
    expect(opened(false)).toEqual({ state: { ...open, holder: keyless }, send: [], task: { do: 'listen' } })
  })

  test('auth is always auth_success, and no line is sent twice', () => {
    expect(step(open, text({ type: 'auth', payload: { token: 'anything' } }), withoutKey)).toEqual({
      state: { ...asked(), holder: keyless },
      send: [authSuccess()],
    })
  })

  test('any other first message is handled as after auth', () => {
    expect(errorCode(step(open, text('{'), withoutKey).send[0])).toBe('malformed')
  })
})

describe('while the game is offline', () => {
  const closed = {
    state: { phase: 'closed' },
    send: [],
    close: { code: 1013, reason: 'The game server is away' },
  }
  const auth = (payload: object) => text({ type: 'auth', payload: { token: key, ...payload } })

  test('a client that has used neither since nor subscribe is closed 1013', () => {
    expect(step(open, { type: 'game_away' }, whileOffline)).toEqual(closed)
  })

  test('a client that has used since or subscribe stays', () => {
    expect(step(staying, { type: 'game_away' }, whileOffline)).toEqual({ state: staying, send: [] })
    const subscribed = step(open, text({ type: 'subscribe', payload: { topics: ['status'] } }), whileOffline)
    expect(step(subscribed.state, { type: 'game_away' }, whileOffline).close).toBeUndefined()
  })

  test('auth is answered by that close, auth with since by auth_success', () => {
    expect(step(unauthenticated, auth({}), whileOffline)).toEqual(closed)
    expect(step(unauthenticated, auth({ since: 5 }), whileOffline)).toMatchObject({
      state: staying,
      send: [authSuccess()],
    })
    expect(step(staying, auth({}), whileOffline).send).toEqual([authSuccess()])
  })

  test('auth without a key set is answered by that close too', () => {
    expect(step(open, auth({}), { ...withoutKey, isGameOffline: () => true })).toEqual(closed)
  })

  test('a wrong key is answered as usual', () => {
    expect(
      step(unauthenticated, text({ type: 'auth', payload: { token: 'wrong' } }), whileOffline).close?.code,
    ).toBe(1008)
  })

  test('a client that has not authenticated still has 10 s to do so', () => {
    expect(step(unauthenticated, { type: 'game_away' }, whileOffline)).toEqual({
      state: unauthenticated,
      send: [],
    })
  })
})
