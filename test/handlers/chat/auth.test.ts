/** How a client of `/ws` authenticates, also while the game is offline, without a socket. */
import { describe, expect, test } from 'vitest'
import { opened, step, unauthenticated } from '../../../handlers/chat/client-session.ts'
import { authFailed, authSuccess } from '../../../handlers/chat/messages.ts'
import type { ChatRules } from '../../../handlers/chat/session-steps.ts'
import { withoutKey as keyless } from '../../../handlers/key-holder.ts'
import {
  asked,
  errorCode,
  key,
  open,
  others,
  staying,
  text,
  whileOffline,
  withKey,
  withoutKey,
} from './a-session.ts'

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

  test('a client that shows no key is compared with none', () => {
    const rules: ChatRules = { ...withKey, verify: () => expect.fail('there is nothing to compare') }
    expect(step(unauthenticated, text({ type: 'auth', payload: null }), rules).state.phase).toBe('closed')
  })

  test('auth with an invalid since sends every line from now on, and no earlier one', () => {
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
