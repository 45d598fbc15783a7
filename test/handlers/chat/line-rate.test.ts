/** The rates of messages and lines of a client of `/ws`, without a socket. */
import { describe, expect, test } from 'vitest'
import { step } from '../../../handlers/chat/client-session.ts'
import type { ChatInput, ChatState } from '../../../handlers/chat/session-steps.ts'
import { errorCode, key, open, opening, say, send, text, withKey } from './a-session.ts'

describe('the rate', () => {
  test('a refusal for the rate names the messages and the limit', () => {
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

  test('a line above the rate of its key is refused whole, and names the limit', () => {
    const rules = { ...withKey, takeLines: () => false }
    const { state, send: sent, refused } = step(open, text(say('a', 'x'.repeat(451))), rules)
    expect([state, refused]).toEqual([opening({ errors: 29 }), { code: 'rate_limited', lines: 2 }])
    expect(JSON.parse(sent[0] ?? '').payload).toEqual({
      code: 'rate_limited',
      error: 'At most 60 lines of all clients of this key at once, then 6 a second',
    })
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
})
