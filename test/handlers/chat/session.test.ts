/** The behaviour table of `/ws` (contract section 4), row by row, without a socket. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { authFailed, authSuccess, pong } from '../../../handlers/chat/messages.ts'
import {
  authWindow,
  type ChatInput,
  type ChatRules,
  type ChatState,
  opened,
  step,
} from '../../../handlers/chat/session.ts'

const key = 'the right key'
const verify = (token: string) => (token === key ? 'right' : token === 'again' ? 'braked' : 'wrong')
const withKey: ChatRules = { keyRequired: true, verify }
const withoutKey: ChatRules = { keyRequired: false, verify: () => expect.fail('no key is set') }
const unauthenticated: ChatState = { phase: 'unauthenticated' }
const open: ChatState = { phase: 'open', sent: [] }
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
  test('a new client is unauthenticated, hears nothing and has 10 s', () => {
    expect(opened(true)).toEqual({ state: unauthenticated, send: [] })
    expect(authWindow).toBe(10_000)
  })

  test('auth right: auth_success; from then on messages flow', () => {
    expect(step(unauthenticated, text({ type: 'auth', payload: { token: key } }), withKey)).toEqual({
      state: open,
      send: [authSuccess()],
      task: { do: 'listen' },
    })
  })

  test('auth right with since: missed lines come right after auth_success', () => {
    expect(
      step(unauthenticated, text({ type: 'auth', payload: { token: key, since: 5 } }), withKey),
    ).toMatchObject({
      send: [authSuccess()],
      task: { do: 'listen', since: 5 },
    })
  })

  test('auth right with a since that is none: auth_success, then error invalid_payload', () => {
    const { send, task } = step(
      unauthenticated,
      text({ type: 'auth', payload: { token: key, since: -1 } }),
      withKey,
    )
    expect([send[0], errorCode(send[1]), task]).toEqual([authSuccess(), 'invalid_payload', { do: 'listen' }])
  })

  test('auth wrong: auth_failed, then close 1008 Authentication failed', () => {
    for (const payload of [{ token: 'wrong' }, { token: 5 }, {}, undefined])
      expect(step(unauthenticated, text({ type: 'auth', payload }), withKey)).toEqual({
        state: { phase: 'closed' },
        send: [authFailed('Invalid token')],
        close: { code: 1008, reason: 'Authentication failed' },
      })
  })

  test('auth wrong too often: auth_failed says so, close 1008', () => {
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

  test('a deadline that comes late, after auth, does nothing', () => {
    expect(step(open, { type: 'deadline' }, withKey)).toEqual({ state: open, send: [] })
  })

  test('a wrong key on an open socket closes it', () => {
    expect(step(open, text({ type: 'auth', payload: { token: 'wrong' } }), withKey)).toMatchObject({
      state: { phase: 'closed' },
      close: { code: 1008 },
    })
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
  test('a new client hears the farm at once', () => {
    expect(opened(false)).toEqual({ state: open, send: [], task: { do: 'listen' } })
  })

  test('auth is always auth_success, and nothing is told twice', () => {
    expect(step(open, text({ type: 'auth', payload: { token: 'anything' } }), withoutKey)).toEqual({
      state: open,
      send: [authSuccess()],
    })
  })

  test('any other first message is as after auth', () => {
    expect(errorCode(step(open, text('{'), withoutKey).send[0])).toBe('malformed')
  })
})

describe('after auth', () => {
  const send = (message: unknown, state: ChatState = open, at = 0) => step(state, text(message, at), withKey)
  const say = (author: string, message: string) => ({ type: 'chat_send', payload: { author, message } })

  test('ping: pong', () => {
    expect(send({ type: 'ping' })).toEqual({ state: open, send: [pong()] })
  })

  test('chat_send: said into the game, nothing echoed', () => {
    expect(send(say(' Discord\n', ' hello\u0007 '), open, 5)).toEqual({
      state: { phase: 'open', sent: [5] },
      send: [],
      task: { do: 'say', author: 'Discord', lines: ['hello'] },
    })
  })

  test('chat_send over 450 is said in lines', () => {
    expect(send(say('a', 'x'.repeat(2000))).task).toEqual({
      do: 'say',
      author: 'a',
      lines: [...Array(4).fill('x'.repeat(450)), 'x'.repeat(200)],
    })
  })

  test.each([
    ['malformed', '{'],
    ['malformed', '[]'],
    ['malformed', { payload: {} }],
    ['unknown_type', { type: 'nothing' }],
    ['invalid_payload', { type: 'chat_send' }],
    ['invalid_payload', say('', 'm')],
    ['invalid_payload', say('x'.repeat(33), 'm')],
    ['invalid_payload', say('a', ' \n ')],
    ['message_too_long', say('a', 'x'.repeat(2001))],
    ['invalid_payload', { type: 'ping', payload: 'text' }],
    ['invalid_payload', { type: 'subscribe', payload: { topics: [] } }],
    ['unknown_topic', { type: 'subscribe', payload: { topics: ['players', 'weather'] } }],
  ])('error %s, the connection stays: %j', (code, message) => {
    const { state, send: sent, close, task } = send(message)
    expect([sent.map(errorCode), state, close, task]).toEqual([[code], open, undefined, undefined])
  })

  test('more than 20 in 10 s: error rate_limited; the oldest leave the window', () => {
    let state: ChatState = open
    for (let at = 0; at < 20; at += 1) state = send(say('a', 'b'), state, at).state
    expect(errorCode(send(say('a', 'b'), state, 9_999).send[0])).toBe('rate_limited')
    const later = send(say('a', 'b'), state, 10_000)
    expect([later.send, later.task?.do]).toEqual([[], 'say'])
    expect(errorCode(send(say('a', 'b'), later.state, 10_000).send[0])).toBe('rate_limited')
  })

  test('lines that are refused for other reasons do not count', () => {
    let state: ChatState = open
    for (let at = 0; at < 50; at += 1) state = send(say('', 'b'), state, at).state
    expect(send(say('a', 'b'), state, 50).task?.do).toBe('say')
  })

  test('binary: close 1003', () => {
    expect(step(open, { type: 'binary' }, withKey)).toMatchObject({
      state: { phase: 'closed' },
      close: { code: 1003 },
    })
  })

  test('subscribe: each topic once, in the order of the contract', () => {
    expect(send({ type: 'subscribe', payload: { topics: ['cabins', 'players', 'cabins'] } })).toEqual({
      state: open,
      send: [],
      task: { do: 'subscribe', topics: ['players', 'cabins'] },
    })
  })
})

test('a closed client is answered nothing, whatever comes', () => {
  for (const input of [...others, { type: 'deadline' } as const])
    expect(step({ phase: 'closed' }, input, withKey)).toEqual({ state: { phase: 'closed' }, send: [] })
})

test('whatever comes, nothing throws, every text is JSON and the state survives as JSON', () => {
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
        const next = step(state, text(given, at), { keyRequired, verify })
        for (const sent of next.send) expect(JSON.parse(sent)).toHaveProperty('type')
        state = JSON.parse(JSON.stringify(next.state))
        expect(state).toEqual(next.state)
      }
    }),
  )
})
