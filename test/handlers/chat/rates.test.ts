/** Rate limits of a client of `/ws`, without a socket. */
import { describe, expect, test } from 'vitest'
import { opened, step } from '../../../handlers/chat/client-session.ts'
import { pong } from '../../../handlers/chat/messages.ts'
import type { ChatInput, ChatState } from '../../../handlers/chat/session-steps.ts'
import { key, text, withKey } from './a-session.ts'

const start = 1_795_262_400_000
const auth = { type: 'auth', payload: { token: key } }
const ping: ChatInput = { type: 'ping', at: start }

/** One authenticated client. */
function aClient(input: ChatInput = text(auth)) {
  let state: ChatState = step(opened(true).state, input, withKey).state
  return {
    get phase() {
      return state.phase
    },
    hears(heard: ChatInput, milliseconds = 0) {
      const at = start + milliseconds
      const { state: next, ...done } = step(state, 'at' in heard ? { ...heard, at } : heard, withKey)
      state = next
      return done
    },
  }
}
const errorOf = ({ send }: { readonly send: readonly string[] }) => JSON.parse(send[0] ?? '{}').payload
const tooManyErrors = { send: [], close: { code: 1008, reason: 'Too many errors' } }

describe('errors', () => {
  test.each([
    ['malformed messages', '{'],
    ['unknown types', { type: 'nothing' }],
    ['invalid payloads', { type: 'chat_send' }],
    ['unknown topics', { type: 'subscribe', payload: { topics: ['weather'] } }],
    ['blank lines', { type: 'chat_send', payload: { author: 'a', message: ' ' } }],
  ])('30 %s at once are answered, the next closes 1008', (_what, message) => {
    const client = aClient()
    for (let error = 0; error < 30; error += 1) expect(client.hears(text(message)).send).toHaveLength(1)
    expect(client.hears(text(message))).toMatchObject(tooManyErrors)
  })

  test('3 errors a second are allowed indefinitely', () => {
    const client = aClient()
    for (let error = 0; error < 500; error += 1)
      expect(client.hears(text('{'), error * 334).close).toBeUndefined()
  })

  test('lines beyond their rate are errors too', () => {
    const client = aClient()
    const line = text({ type: 'chat_send', payload: { author: 'a', message: 'b' } })
    for (let said = 0; said < 60; said += 1) expect(client.hears(line).task).toMatchObject({ do: 'say' })
    for (let error = 0; error < 30; error += 1)
      expect(errorOf(client.hears(line))).toMatchObject({ code: 'rate_limited' })
    expect(client.hears(line)).toMatchObject({
      ...tooManyErrors,
      refused: { code: 'rate_limited', lines: 1 },
    })
  })

  test('messages after the close are ignored', () => {
    const client = aClient()
    for (let error = 0; error <= 30; error += 1) client.hears(text('{'))
    for (const input of [text(auth), text('{'), ping, { type: 'binary' } as const])
      expect(client.hears(input)).toEqual({ send: [] })
    expect(client.phase).toBe('closed')
  })
})

describe('pings', () => {
  test('60 messages ping at once, then 1 a second: more are error rate_limited', () => {
    const client = aClient()
    const message = text({ type: 'ping' })
    for (let sent = 0; sent < 60; sent += 1) expect(client.hears(message).send).toEqual([pong()])
    expect(errorOf(client.hears(message))).toEqual({
      code: 'rate_limited',
      error: 'At most 60 pings at once, then 1 a second',
    })
    expect(client.hears(message, 1000).send).toEqual([pong()])
    expect(errorOf(client.hears(message, 1000))).toMatchObject({ code: 'rate_limited' })
  })

  test('protocol pings and pongs count with them, and too many close 1008', () => {
    const client = aClient()
    for (let sent = 0; sent < 60; sent += 1) expect(client.hears(ping)).toEqual({ send: [] })
    for (let error = 0; error < 30; error += 1)
      expect(errorOf(client.hears(ping))).toMatchObject({ code: 'rate_limited' })
    expect(client.hears(ping)).toEqual(tooManyErrors)
  })

  test('before auth 5 protocol pings pass, the next closes 1008', () => {
    const client = aClient(ping)
    for (let sent = 1; sent < 5; sent += 1) expect(client.hears(ping)).toEqual({ send: [] })
    expect(client.phase).toBe('unauthenticated')
    expect(client.hears(ping)).toMatchObject({ close: { code: 1008, reason: 'Authenticate first' } })
  })
})

describe('messages auth and subscribe', () => {
  const subscribe = text({ type: 'subscribe', payload: { topics: ['players'] } })
  const resume = text({ ...auth, payload: { ...auth.payload, since: 0 } })

  test('20 at once, then 1 a second: more are error rate_limited', () => {
    const client = aClient()
    for (let sent = 0; sent < 10; sent += 1) {
      expect(client.hears(subscribe).task?.do).toBe('subscribe')
      expect(client.hears(text(auth)).send).toHaveLength(1)
    }
    for (const message of [subscribe, text(auth)]) {
      const refused = client.hears(message)
      expect([errorOf(refused).code, refused.task]).toEqual(['rate_limited', undefined])
    }
    expect(client.hears(subscribe, 1000).task?.do).toBe('subscribe')
  })

  test('an auth with a number in since counts as 10 of them', () => {
    const client = aClient()
    for (let sent = 0; sent < 2; sent += 1) expect(client.hears(resume).task?.do).toBe('listen')
    expect(errorOf(client.hears(resume, 9999)).code).toBe('rate_limited')
    expect(client.hears(resume, 10_000).task?.do).toBe('listen')
  })
})
