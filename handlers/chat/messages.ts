/** The messages of `/ws` (contract section 4): what a client may send and what it is sent, each a text of JSON. */
import * as v from 'valibot'
import type { GameEvent } from '../game-event.ts'
import { stringifyJson, stringifyRecord } from '../json.ts'

export const topics = ['players', 'status', 'cabins'] as const
export type Topic = (typeof topics)[number]

export type ChatErrorCode =
  | 'malformed'
  | 'unknown_type'
  | 'invalid_payload'
  | 'message_too_long'
  | 'rate_limited'
  | 'game_unavailable'
  | 'unknown_topic'

/** Close codes of RFC 6455, and what this protocol uses them for. */
export const closeCodes = {
  goingAway: 1001,
  unsupportedData: 1003,
  policyViolation: 1008,
  tryAgainLater: 1013,
} as const

const envelope = v.object({
  type: v.string(),
  payload: v.nullish(v.record(v.string(), v.unknown()), {}),
})

export type ClientMessage =
  /** `since` is `invalid` when it is no number of a line; the key counts all the same. */
  | {
      readonly type: 'auth'
      readonly token: string | undefined
      readonly since: number | 'invalid' | undefined
    }
  | { readonly type: 'ping' }
  | { readonly type: 'chat_send'; readonly author: string; readonly message: string }
  | { readonly type: 'subscribe'; readonly topics: readonly string[] }
  /** Not understood: the code and sentence to answer with. */
  | { readonly type: 'not_understood'; readonly code: ChatErrorCode; readonly error: string }

const notUnderstood = (code: ChatErrorCode, error: string): ClientMessage => ({
  type: 'not_understood',
  code,
  error,
})

/** `since`: the last chat line the client knows. */
export const authPayload = v.object({
  token: v.string(),
  since: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
})
export const chatSendPayload = v.object({ author: v.string(), message: v.string() })
export const subscribePayload = v.object({
  topics: v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(16)),
})

/** Reads one text frame; never throws. */
export function readClientMessage(text: string): ClientMessage {
  const parsed = v.safeParse(envelope, jsonOf(text))
  if (!parsed.success) {
    return isTyped(jsonOf(text))
      ? notUnderstood('invalid_payload', 'payload must be an object')
      : notUnderstood('malformed', 'A message is a JSON object with a type')
  }
  const { type, payload } = parsed.output
  switch (type) {
    case 'auth': {
      const { token, since } = authPayload.entries
      const shown = v.safeParse(token, payload?.token)
      const known = v.safeParse(v.nullish(since), payload?.since)
      return {
        type,
        token: shown.success ? shown.output : undefined,
        since: known.success ? (known.output ?? undefined) : 'invalid',
      }
    }
    case 'ping':
      return { type }
    case 'chat_send': {
      const read = v.safeParse(chatSendPayload, payload)
      return read.success
        ? { type, ...read.output }
        : notUnderstood('invalid_payload', 'chat_send needs an author and a message')
    }
    case 'subscribe': {
      const read = v.safeParse(subscribePayload, payload)
      return read.success
        ? { type, topics: read.output.topics }
        : notUnderstood('invalid_payload', 'subscribe needs a list of topics')
    }
    default:
      return notUnderstood('unknown_type', `Unknown message type; known are auth, ping, chat_send, subscribe`)
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isTyped = (value: unknown) => v.is(v.object({ type: v.string() }), value)

const constant = (type: string) => () => `{"type":"${type}"}`

export const authSuccess = constant('auth_success')
export const pong = constant('pong')

/** `error` at both places: clients in the field read either. */
export const authFailed = (error: string) => stringifyJson({ type: 'auth_failed', error, payload: { error } })

export const errorMessage = (code: ChatErrorCode, error: string) =>
  stringifyJson({ type: 'error', payload: { code, error } })

/** A relayed line of the farm's chat. @param seq one more than the line before it */
export const chatMessage = (
  line: { readonly playerName: string; readonly message: string; readonly timestamp: string },
  seq: number,
) =>
  stringifyJson({
    type: 'chat',
    payload: {
      playerName: line.playerName,
      message: line.message.toWellFormed(),
      timestamp: line.timestamp,
      seq,
    },
  })

/** Lines `from` to `to`, both included, are no longer held. */
export const gapMessage = (from: number, to: number) => stringifyJson({ type: 'gap', payload: { from, to } })

export const subscribedMessage = (chosen: readonly Topic[]) =>
  stringifyJson({ type: 'subscribed', payload: { topics: chosen } })

/** @param data what the topic's read answers: `/players`, `/status` or `/cabins` */
export const snapshotMessage = (topic: Topic, data: unknown, seq: number, timestamp: string) =>
  stringifyRecord({ type: 'snapshot', payload: { topic, seq, timestamp, data } })

export type LiveEvent = Exclude<GameEvent, { type: 'chat' }>

const topicOfEvent: Readonly<Record<LiveEvent['type'], Topic>> = {
  player_joined: 'players',
  player_left: 'players',
  status_changed: 'status',
  day_started: 'status',
  season_started: 'status',
  ready_changed: 'status',
  rendering_changed: 'status',
  cabin_changed: 'cabins',
}

/** The topic whose subscribers hear an event. */
export const topicOf = (event: LiveEvent): Topic => topicOfEvent[event.type]

/** @param seq one more than the event before it, whatever its topic */
export function eventMessage({ type, ...what }: LiveEvent, seq: number, timestamp: string): string {
  return stringifyRecord({
    type: 'event',
    payload: { topic: topicOfEvent[type], event: type, seq, timestamp, ...what },
  })
}
