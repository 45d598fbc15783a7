/** What each message and frame of `/ws` is answered with, without a socket. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { opened, step, unauthenticated } from '../../../handlers/chat/client-session.ts'
import { authFailed, authSuccess, pong } from '../../../handlers/chat/messages.ts'
import { type Allowance, fullAllowance } from '../../../handlers/chat/rates.ts'
import type { ChatInput, ChatRules, ChatState } from '../../../handlers/chat/session-steps.ts'
import { apiKeyHolder, type KeyHolder, withoutKey as nobody } from '../../../handlers/key-holder.ts'

const key = 'the right key'
const holder = apiKeyHolder()
const verify = (token: string) => (token === key ? holder : token === 'again' ? 'limited' : 'wrong')
const current = (known: KeyHolder) => known
const isGameAway = () => false
const withKey: ChatRules = { keyRequired: true, verify, current, isGameAway }
const whileAway: ChatRules = { ...withKey, isGameAway: () => true }
const withoutKey: ChatRules = {
  ...withKey,
  keyRequired: false,
  verify: () => expect.fail('no key is set'),
}
const opening = (left: Partial<Allowance> = {}, stays = false) =>
  ({ phase: 'open', stays, allowance: { ...fullAllowance, ...left }, holder }) satisfies ChatState
const open = opening()
const staying = opening({}, true)
/** After one message `auth` or `subscribe`. */
const asked = (stays = false) => opening({ requests: 19 }, stays)
const text = (message: unknown, at = 0): ChatInput => ({
  type: 'text',
  text: typeof message === 'string' ? message : JSON.stringify(message),
  at,
})
const errorCode = (sent: string | undefined) => JSON.parse(sent ?? '{}').payload?.code
const others: readonly ChatInput[] = [
  text({ type: 'ping' }),
  text({ type: 'chat_send', payload: { author: 'a', message: 'b' } }),
  text({ type: 'subscribe', payload: { topics: ['players'] } }),
  text({ type: 'nothing' }),
  text('{'),
  text(''),
  { type: 'binary' },
]

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

  test('auth with since: missed lines come right after auth_success', () => {
    expect(step(unauthenticated, text({ type: 'auth', payload: { token: key, since: 5 } }), withKey)).toEqual(
      {
        state: staying,
        send: [authSuccess()],
        task: { do: 'listen', since: 5 },
      },
    )
  })

  test('auth with an invalid since: auth_success, then error invalid_payload', () => {
    const { send, task } = step(
      unauthenticated,
      text({ type: 'auth', payload: { token: key, since: -1 } }),
      withKey,
    )
    expect([send[0], errorCode(send[1]), task]).toEqual([authSuccess(), 'invalid_payload', { do: 'listen' }])
  })

  test('auth with a wrong key: auth_failed, then close 1008 Authentication failed', () => {
    for (const payload of [{ token: 'wrong' }, { token: 5 }, {}, undefined])
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

  test('a wrong key on an open socket closes it', () => {
    expect(step(open, text({ type: 'auth', payload: { token: 'wrong' } }), withKey)).toMatchObject({
      state: { phase: 'closed' },
      close: { code: 1008 },
    })
  })

  test('a client that shows no key is not compared with any', () => {
    const rules: ChatRules = { ...withKey, verify: () => expect.fail('there is nothing to compare') }
    expect(step(unauthenticated, text({ type: 'auth', payload: null }), rules).state.phase).toBe('closed')
  })

  test('auth with an invalid since is told every line from now on, and no earlier one', () => {
    const { task } = step(
      unauthenticated,
      text({ type: 'auth', payload: { token: key, since: 'yesterday' } }),
      withKey,
    )
    expect(task).toStrictEqual({ do: 'listen' })
  })

  test('auth_failed carries error both at the top level and in payload', () => {
    expect(JSON.parse(authFailed('Reason'))).toEqual({
      type: 'auth_failed',
      error: 'Reason',
      payload: { error: 'Reason' },
    })
  })
})

describe('without a key', () => {
  test('a new client is sent messages at once', () => {
    expect(opened(false)).toEqual({ state: { ...open, holder: nobody }, send: [], task: { do: 'listen' } })
  })

  test('auth is always auth_success, and no line is sent twice', () => {
    expect(step(open, text({ type: 'auth', payload: { token: 'anything' } }), withoutKey)).toEqual({
      state: { ...asked(), holder: nobody },
      send: [authSuccess()],
    })
  })

  test('any other first message is handled as after auth', () => {
    expect(errorCode(step(open, text('{'), withoutKey).send[0])).toBe('malformed')
  })
})

describe('after auth', () => {
  const send = (message: unknown, state: ChatState = open, at = 0) => step(state, text(message, at), withKey)
  const say = (author: string, message: string) => ({ type: 'chat_send', payload: { author, message } })

  test('ping: pong', () => {
    expect([JSON.parse(pong()), JSON.parse(authSuccess())]).toEqual([
      { type: 'pong' },
      { type: 'auth_success' },
    ])
    expect(send({ type: 'ping' })).toEqual({ state: opening({ pings: 59 }), send: [pong()] })
  })

  test('chat_send: said into the game, nothing echoed', () => {
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

  test('chat_send over 450 is said in lines', () => {
    expect(send(say('a', 'x'.repeat(4000))).task).toEqual({
      do: 'say',
      author: 'a',
      lines: [...Array(8).fill('x'.repeat(450)), 'x'.repeat(400)],
      holder,
    })
  })

  test('chat_send with a text or a safe integer as id: said with it', () => {
    for (const id of ['1', 'x'.repeat(64), '', 0, -5, Number.MAX_SAFE_INTEGER])
      expect(send({ type: 'chat_send', payload: { author: 'a', message: 'b', id } }).task).toMatchObject({
        do: 'say',
        id,
      })
    const unnamed = send({ type: 'chat_send', payload: { author: 'a', message: 'b', id: null } }).task
    expect(unnamed).not.toHaveProperty('id')
  })

  test('an id is repeated in the error of a line that was refused', () => {
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
    ['malformed', '[]'],
    ['malformed', { payload: {} }],
    ['unknown_type', { type: 'nothing' }],
    ['invalid_payload', { type: 'chat_send' }],
    ['invalid_payload', say('a', ' \n ')],
    ['message_too_long', say('a', 'x'.repeat(4001))],
    ['invalid_payload', { type: 'ping', payload: 'text' }],
    ['invalid_payload', { type: 'subscribe', payload: { topics: [] } }],
    ['unknown_topic', { type: 'subscribe', payload: { topics: ['players', 'weather'] } }],
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
    [{ type: 'subscribe', payload: { topics: ['weather'] } }, 'Known topics are players, status, cabins'],
    [{ type: 'auth', payload: { token: key, since: 'yesterday' } }, 'since must be the seq of a chat line'],
  ])('what is wrong with %j is said in a sentence: %s', (message, sentence) => {
    const errors = send(message).send.map((text) => JSON.parse(text).payload?.error)
    expect(errors.filter((error) => error !== undefined)).toEqual([sentence])
  })

  test('a refusal for the rate says which messages, and how many are allowed', () => {
    const none = opening({ lines: 0, pings: 0, requests: 0 })
    const sentence = (input: ChatInput) => JSON.parse(step(none, input, withKey).send[0] ?? '').payload.error
    expect(sentence(text(say('a', 'b')))).toBe('At most 60 lines at once, then 6 a second')
    expect(sentence(text({ type: 'ping' }))).toBe('At most 60 pings at once, then 1 a second')
    expect(sentence({ type: 'ping', at: 0 })).toBe('At most 60 pings at once, then 1 a second')
    for (const message of [
      { type: 'auth', payload: { token: key } },
      { type: 'subscribe', payload: { topics: ['players'] } },
    ])
      expect(sentence(text(message))).toBe('At most 20 messages auth and subscribe at once, then 1 a second')
  })

  test('60 lines at once, then 6 a second', () => {
    let state: ChatState = open
    const said = (at: number) => {
      const next = send(say('a', 'b'), state, at)
      state = next.state
      return next.task?.do ?? errorCode(next.send[0])
    }
    const at = 1_795_262_400_000
    for (let line = 0; line < 60; line += 1) expect(said(at)).toBe('say')
    expect([said(at), said(at + 166), said(at + 167), said(at + 167)]).toEqual([
      'rate_limited',
      'rate_limited',
      'say',
      'rate_limited',
    ])
    for (let line = 0; line < 6; line += 1) expect(said(at + 1_168)).toBe('say')
    expect(said(at + 1_168)).toBe('rate_limited')
  })

  test('a message of ten lines counts as ten, and is refused whole if the limit has no room for it', () => {
    const state = opening({ lines: 9 })
    const long = say('a', `a${'\u0301'.repeat(399)}`.repeat(10))
    expect(send(long).state).toEqual(opening({ lines: 50 }))
    const { state: after, refused } = send(long, state)
    expect([after, refused]).toEqual([opening({ lines: 9, errors: 29 }), { code: 'rate_limited', lines: 10 }])
  })

  test('a clock that was set back does not change how many lines are allowed', () => {
    const state = opening({ lines: 1, at: 1_000_000 })
    const next = send(say('a', 'b'), state, 5)
    expect([next.task?.do, errorCode(send(say('a', 'b'), next.state, 5).send[0])]).toEqual([
      'say',
      'rate_limited',
    ])
  })

  test('lines that are refused for other reasons do not count against the limit', () => {
    let state: ChatState = open
    for (let line = 0; line < 30; line += 1) state = send(say('a', ''), state).state
    expect(state).toEqual(opening({ errors: 0 }))
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

describe('while the game is away', () => {
  const closed = {
    state: { phase: 'closed' },
    send: [],
    close: { code: 1013, reason: 'The game server is away' },
  }
  const auth = (payload: object) => text({ type: 'auth', payload: { token: key, ...payload } })

  test('a client that has used neither since nor subscribe is closed 1013', () => {
    expect(step(open, { type: 'game_away' }, whileAway)).toEqual(closed)
  })

  test('a client that has used since or subscribe stays', () => {
    expect(step(staying, { type: 'game_away' }, whileAway)).toEqual({ state: staying, send: [] })
    const subscribed = step(open, text({ type: 'subscribe', payload: { topics: ['status'] } }), whileAway)
    expect(step(subscribed.state, { type: 'game_away' }, whileAway).close).toBeUndefined()
  })

  test('auth is answered by that close, auth with since by auth_success', () => {
    expect(step(unauthenticated, auth({}), whileAway)).toEqual(closed)
    expect(step(unauthenticated, auth({ since: 5 }), whileAway)).toMatchObject({
      state: staying,
      send: [authSuccess()],
    })
    expect(step(staying, auth({}), whileAway).send).toEqual([authSuccess()])
  })

  test('auth without a key set is answered by that close too', () => {
    expect(step(open, auth({}), { ...withoutKey, isGameAway: () => true })).toEqual(closed)
  })

  test('a wrong key is answered as usual', () => {
    expect(
      step(unauthenticated, text({ type: 'auth', payload: { token: 'wrong' } }), whileAway).close?.code,
    ).toBe(1008)
  })

  test('a client that has not authenticated still has 10 s to do so', () => {
    expect(step(unauthenticated, { type: 'game_away' }, whileAway)).toEqual({
      state: unauthenticated,
      send: [],
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
