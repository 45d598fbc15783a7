/**
 * One client's life on `/ws` as a pure state machine (contract section 4): an event in; out come the texts
 * to send, whether to close, and what to do. It holds no socket, timer or clock; Node and the Durable
 * Object drive the same one. The state is plain JSON, so that it survives hibernation as an attachment.
 */
import { cleaned, linesOf, longest } from './chat-line.ts'
import {
  authFailed,
  authSuccess,
  type ChatErrorCode,
  type ClientMessage,
  closeCodes,
  errorMessage,
  pong,
  readClientMessage,
  type Topic,
  topics,
} from './messages.ts'

export type ChatState =
  | { readonly phase: 'unauthenticated' }
  /** `sent`: when the latest lines went into the game, milliseconds, newest last. */
  | { readonly phase: 'open'; readonly sent: readonly number[] }
  | { readonly phase: 'closed' }

/** What happened, `at` milliseconds since 1970. */
export type ChatInput =
  | { readonly type: 'text'; readonly text: string; readonly at: number }
  | { readonly type: 'binary' }
  | { readonly type: 'deadline' }

/** What the driver is to do after sending. */
export type ChatTask =
  /** From now on the client hears the farm; with `since`, first what it missed. */
  | { readonly do: 'listen'; readonly since?: number }
  | { readonly do: 'say'; readonly author: string; readonly lines: readonly string[] }
  | { readonly do: 'subscribe'; readonly topics: readonly Topic[] }

export interface ChatStep {
  readonly state: ChatState
  readonly send: readonly string[]
  readonly task?: ChatTask
  readonly close?: { readonly code: number; readonly reason: string }
}

export interface ChatRules {
  /** A key is set. */
  readonly keyRequired: boolean
  /** `braked`: wrong, and this address was wrong too often of late. */
  readonly verify: (token: string) => 'right' | 'wrong' | 'braked'
}

/** Milliseconds a client has from connecting to authenticate. */
export const authWindow = 10_000

const floodLimit = { lines: 20, milliseconds: 10_000 } as const

const nothing = (state: ChatState): ChatStep => ({ state, send: [] })

/** A client connected. With a key set, call the machine with `deadline` after `authWindow`. */
export function opened(keyRequired: boolean): ChatStep {
  return keyRequired
    ? nothing({ phase: 'unauthenticated' })
    : { ...nothing({ phase: 'open', sent: [] }), task: { do: 'listen' } }
}

export function step(state: ChatState, input: ChatInput, rules: ChatRules): ChatStep {
  switch (state.phase) {
    case 'closed':
      return nothing(state)
    case 'unauthenticated':
      return beforeAuth(state, input, rules)
    case 'open':
      return afterAuth(state, input, rules)
  }
}

const refused = (error: string, reason = error): ChatStep => ({
  state: { phase: 'closed' },
  send: [authFailed(error)],
  close: { code: closeCodes.policyViolation, reason },
})

function beforeAuth(state: ChatState, input: ChatInput, rules: ChatRules): ChatStep {
  if (input.type === 'deadline') return refused('Authentication timeout')
  if (input.type === 'binary') return refused('Authenticate first')
  const message = readClientMessage(input.text)
  return message.type === 'auth' ? authenticated(state, message, rules) : refused('Authenticate first')
}

function authenticated(
  state: ChatState,
  { token, since }: Extract<ClientMessage, { type: 'auth' }>,
  { keyRequired, verify }: ChatRules,
): ChatStep {
  const verdict = !keyRequired ? 'right' : token === undefined ? 'wrong' : verify(token)
  if (verdict === 'wrong') return refused('Invalid token', 'Authentication failed')
  if (verdict === 'braked') return refused('Too many wrong keys, wait a minute', 'Authentication failed')
  const send =
    since === 'invalid'
      ? [authSuccess(), errorMessage('invalid_payload', 'since must be the seq of a chat line')]
      : [authSuccess()]
  const known = since === 'invalid' ? undefined : since
  // Who listens already only wants what it missed; without `since` there is nothing to do for it.
  if (state.phase === 'open' && known === undefined) return { state, send }
  return {
    state: state.phase === 'open' ? state : { phase: 'open', sent: [] },
    send,
    task: { do: 'listen', ...(known !== undefined && { since: known }) },
  }
}

type Open = Extract<ChatState, { phase: 'open' }>

function afterAuth(state: Open, input: ChatInput, rules: ChatRules): ChatStep {
  if (input.type === 'deadline') return nothing(state)
  if (input.type === 'binary')
    return {
      state: { phase: 'closed' },
      send: [],
      close: { code: closeCodes.unsupportedData, reason: 'Text frames only' },
    }
  const message = readClientMessage(input.text)
  switch (message.type) {
    case 'auth':
      return authenticated(state, message, rules)
    case 'ping':
      return { state, send: [pong()] }
    case 'chat_send':
      return said(state, message, input.at)
    case 'subscribe':
      return subscribed(state, message.topics)
    case 'not_understood':
      return failed(state, message.code, message.error)
  }
}

const failed = (state: Open, code: ChatErrorCode, error: string): ChatStep => ({
  state,
  send: [errorMessage(code, error)],
})

function said(state: Open, raw: { readonly author: string; readonly message: string }, at: number): ChatStep {
  const author = cleaned(raw.author)
  const message = cleaned(raw.message)
  if (author === '' || author.length > longest.author)
    return failed(state, 'invalid_payload', `author must have 1 to ${longest.author} characters`)
  if (message === '') return failed(state, 'invalid_payload', 'message is blank')
  if (message.length > longest.message)
    return failed(state, 'message_too_long', `message must have at most ${longest.message} characters`)
  const sent = state.sent.filter((moment) => moment > at - floodLimit.milliseconds)
  if (sent.length >= floodLimit.lines)
    return failed({ ...state, sent }, 'rate_limited', 'At most 20 messages in 10 seconds')
  return {
    state: { ...state, sent: [...sent, at] },
    send: [],
    task: { do: 'say', author, lines: linesOf(message) },
  }
}

function subscribed(state: Open, wanted: readonly string[]): ChatStep {
  const chosen = topics.filter((topic) => wanted.includes(topic))
  return wanted.every((name) => topics.some((topic) => topic === name))
    ? { state, send: [], task: { do: 'subscribe', topics: chosen } }
    : failed(state, 'unknown_topic', `Known topics are ${topics.join(', ')}`)
}
