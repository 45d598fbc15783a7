/**
 * One client's session on `/ws` (docs/bot.md) as a pure state machine. It takes an event and returns the texts to
 * send, whether to close, and a task for the room. It has no socket, timer or clock, so Node and the Durable Object
 * run the same one. The state is plain JSON, so that a socket's attachment can store it during hibernation.
 */
import { authorOf, cleaned, linesOf, maxUnits } from '../chat-line.ts'
import { allows, type KeyHolder, mayHear, type Scope, withoutKey } from '../key-holder.ts'
import {
  authFailed,
  authSuccess,
  type ChatErrorCode,
  type ChatId,
  type ChatSend,
  type ClientMessage,
  closeCodes,
  errorMessage,
  followable,
  insufficientScope,
  pong,
  readClientMessage,
} from './messages.ts'
import { fullAllowance, type Rate, rateInWords, refilled, replayCost, without } from './rates.ts'
import type { ChatInput, ChatRules, ChatState, ChatStep } from './session-steps.ts'

/** A client that has sent nothing yet. It may send a few pings, because some libraries ping before the client sends `auth`. */
export const unauthenticated: Unauthenticated = { phase: 'unauthenticated', pings: 5 }

const newlyOpen = (holder: KeyHolder): Open => ({
  phase: 'open',
  stays: false,
  allowance: fullAllowance,
  holder,
})

const nothing = (state: ChatState): ChatStep => ({ state, send: [] })

/**
 * The first step of a client that connected. With a key set, call `step` with `deadline` after `authTimeout`.
 * @param session that the handshake has proved: the client is signed in from the start
 * @param hasPlace whether the session may have one more client
 */
export function opened(keyRequired: boolean, session?: KeyHolder, hasPlace = true): ChatStep {
  if (session !== undefined) {
    if (!hasPlace) return withoutPlace
    const open = nothing(newlyOpen(session))
    return mayHear(session) ? { ...open, task: { do: 'listen' } } : open
  }
  return keyRequired
    ? nothing(unauthenticated)
    : { ...nothing(newlyOpen(withoutKey)), task: { do: 'listen' } }
}

/** What one event changes in a client's session, and what to send and do. Never throws. */
export function step(state: ChatState, input: ChatInput, rules: ChatRules): ChatStep {
  switch (state.phase) {
    case 'closed':
      return nothing(state)
    case 'unauthenticated':
      return beforeAuth(state, input, rules)
    case 'open': {
      const holder = rules.current(state.holder)
      if (holder === undefined) return withEndedKey
      return afterAuth(holder === state.holder ? state : { ...state, holder }, input, rules)
    }
  }
}

const rejected = (error: string, reason = error): ChatStep => ({
  state: { phase: 'closed' },
  send: [authFailed(error)],
  close: { code: closeCodes.policyViolation, reason },
})

/**
 * JunimoServer's protocol has no message for an offline game, so a client that uses only that protocol loses its
 * connection, as it would if the game server itself ended. Such clients connect again.
 */
const gameOffline: ChatStep = {
  state: { phase: 'closed' },
  send: [],
  close: { code: closeCodes.tryAgainLater, reason: 'The game server is away' },
}

/** The close reason when a client's key has its maximum of clients. */
export const tooManyOfKey = 'Too many clients of this key'

/** A named key has only a part of all places, so that it leaves places for others. */
const withoutPlace: ChatStep = {
  state: { phase: 'closed' },
  send: [],
  close: { code: closeCodes.tryAgainLater, reason: tooManyOfKey },
}

/** The close reason when a client's key is no longer valid. */
export const keyEnded = 'The key is no longer valid'

const withEndedKey: ChatStep = {
  state: { phase: 'closed' },
  send: [],
  close: { code: closeCodes.policyViolation, reason: keyEnded },
}

type Unauthenticated = Extract<ChatState, { phase: 'unauthenticated' }>

function beforeAuth(state: Unauthenticated, input: ChatInput, rules: ChatRules): ChatStep {
  if (input.type === 'game_away' || input.type === 'keys_changed') return nothing(state)
  if (input.type === 'ping' && state.pings > 0) return nothing({ ...state, pings: state.pings - 1 })
  if (input.type === 'deadline') return rejected('Authentication timeout')
  if (input.type !== 'text') return rejected('Authenticate first')
  const message = readClientMessage(input.text)
  return message.type === 'auth' ? authenticated(state, message, rules) : rejected('Authenticate first')
}

function authenticated(
  state: ChatState,
  { token, since }: Extract<ClientMessage, { type: 'auth' }>,
  { keyRequired, verify, isGameOffline, hasPlace }: ChatRules,
): ChatStep {
  const session = state.phase === 'open' && state.holder.account !== undefined ? state.holder : 'wrong'
  const holder = !keyRequired ? withoutKey : token === undefined ? session : verify(token)
  if (holder === 'wrong') return rejected('Invalid token', 'Authentication failed')
  if (holder === 'limited') return rejected('Too many wrong keys, wait a minute', 'Authentication failed')
  const before = state.phase === 'open' ? { ...state, holder } : newlyOpen(holder)
  const after = since === undefined || before.stays ? before : { ...before, stays: true }
  if (!hasPlace(holder)) return withoutPlace
  if (!after.stays && isGameOffline()) return gameOffline
  const send =
    since === 'invalid'
      ? [authSuccess(), errorMessage('invalid_payload', 'since must be the seq of a chat line, or "now"')]
      : [authSuccess()]
  const known = typeof since === 'number' ? since : undefined
  if (!mayHear(holder)) return { state: after, send: [...send, insufficientScope('read')] }
  // A client that already gets chat lines can only ask for the ones that it missed, with `since`.
  if (state.phase === 'open' && mayHear(state.holder) && known === undefined) return { state: after, send }
  return {
    state: after,
    send,
    task: { do: 'listen', ...(known !== undefined && { since: known }) },
  }
}

type Open = Extract<ChatState, { phase: 'open' }>

function afterAuth(before: Open, input: ChatInput, rules: ChatRules): ChatStep {
  if (input.type === 'deadline' || input.type === 'keys_changed') return nothing(before)
  if (input.type === 'game_away') return before.stays ? nothing(before) : gameOffline
  if (input.type === 'binary')
    return {
      state: { phase: 'closed' },
      send: [],
      close: { code: closeCodes.unsupportedData, reason: 'Text frames only' },
    }
  const state = { ...before, allowance: refilled(before.allowance, input.at) }
  if (input.type === 'ping') return within(state, 'pings', 'pings', nothing)
  const message = readClientMessage(input.text)
  switch (message.type) {
    case 'auth':
      return within(
        state,
        'requests',
        requests,
        (left) => authenticated(left, message, rules),
        typeof message.since === 'number' ? replayCost : 1,
      )
    case 'ping':
      return within(state, 'pings', 'pings', (left) => ({ state: left, send: [pong()] }))
    case 'chat_send':
      return said(state, message, input.at, rules)
    case 'subscribe':
      return within(state, 'requests', requests, (left) => subscribed(left, message.topics))
    case 'not_understood': {
      const { code, error, line } = message
      return line === undefined
        ? failed(state, errorMessage(code, error))
        : refused(state, code, error, line.id)
    }
  }
}

const requests = 'messages auth and subscribe'

/** Takes `count` from the rate's allowance and calls `then`, or answers `rate_limited`. @param what the messages in the plural */
function within(
  state: Open,
  rate: Rate,
  what: string,
  then: (left: Open) => ChatStep,
  count?: number,
): ChatStep {
  const allowance = without(state.allowance, rate, count)
  return allowance === undefined
    ? failed(state, errorMessage('rate_limited', rateInWords(rate, what)))
    : then({ ...state, allowance })
}

/** Answers a message with an error message. A client that causes more errors than the rate `errors` allows is closed. */
function failed(state: Open, error: string): ChatStep {
  const allowance = without(state.allowance, 'errors')
  return allowance === undefined
    ? {
        state: { phase: 'closed' },
        send: [],
        close: { code: closeCodes.policyViolation, reason: 'Too many errors' },
      }
    : { state: { ...state, allowance }, send: [error] }
}

const refused = (
  state: Open,
  code: ChatErrorCode,
  error: string,
  id: ChatId | null | undefined,
  lines = 1,
): ChatStep => ({ ...failed(state, errorMessage(code, error, id)), refused: { code, lines } })

/** Answers a message that the client's key does not allow. */
const notAllowed = (state: Open, scope: Scope, id?: ChatId | null): ChatStep =>
  failed(state, insufficientScope(scope, id))

function said(
  state: Open,
  { author, message, id }: ChatSend,
  at: number,
  { takeLines }: ChatRules,
): ChatStep {
  if (!allows(state.holder, 'chat'))
    return { ...notAllowed(state, 'chat', id), refused: { code: 'insufficient_scope', lines: 1 } }
  const text = cleaned(message)
  if (text === '') return refused(state, 'invalid_payload', 'message is blank', id)
  if (text.length > maxUnits.message)
    return refused(state, 'message_too_long', `message must have at most ${maxUnits.message} characters`, id)
  const lines = linesOf(text)
  const allowance = without(state.allowance, 'lines', lines.length)
  if (allowance === undefined)
    return refused(state, 'rate_limited', rateInWords('lines', 'lines'), id, lines.length)
  if (!takeLines(state.holder, lines.length, at)) {
    const ofKey = rateInWords('lines', 'lines of all clients of this key')
    return refused(state, 'rate_limited', ofKey, id, lines.length)
  }
  return {
    state: { ...state, allowance },
    send: [],
    task: { do: 'say', author: authorOf(author), lines, holder: state.holder, ...(id != null && { id }) },
  }
}

function subscribed(state: Open, wanted: readonly string[]): ChatStep {
  if (!allows(state.holder, 'read')) return notAllowed(state, 'read')
  if (wanted.includes('log') && !allows(state.holder, 'admin')) return notAllowed(state, 'admin')
  const chosen = followable.filter((topic) => wanted.includes(topic))
  return wanted.every((name) => followable.some((topic) => topic === name))
    ? { state: { ...state, stays: true }, send: [], task: { do: 'subscribe', topics: chosen } }
    : failed(state, errorMessage('unknown_topic', `Known topics are ${followable.join(', ')}`))
}
