/** The messages of `/ws` in both directions (docs/bot.md); each is one JSON text. */

import * as v from 'valibot'
import { checkForeign, foreignValue } from '../../lib/foreign/read.ts'
import { stringifyJson, stringifyRecord } from '../../lib/json.ts'
import type { ChatOutage } from '../chat-outage.ts'
import type { LiveEvent, LogEvent } from '../game-event.ts'
import { lacks, type Scope } from '../key-holder.ts'

export const topics = ['players', 'status', 'cabins'] as const
export type Topic = (typeof topics)[number]

/** What a client can subscribe to. The game's log has no snapshot, and needs the scope `admin`. */
export const followable = [...topics, 'log'] as const
export type Followed = (typeof followable)[number]

export const chatErrorCodes = [
  'malformed',
  'unknown_type',
  'invalid_payload',
  'message_too_long',
  'rate_limited',
  'game_unavailable',
  'outcome_unknown',
  'unknown_topic',
  'insufficient_scope',
] as const
export type ChatErrorCode = (typeof chatErrorCodes)[number]

/** Maximum of bytes in one message of a client. */
export const maxMessageBytes = 16 * 1024

/** The close codes of RFC 6455 that are used here. */
export const closeCodes = {
  goingAway: 1001,
  protocolError: 1002,
  unsupportedData: 1003,
  policyViolation: 1008,
  tryAgainLater: 1013,
} as const

const envelope = v.object({
  type: v.string(),
  payload: v.nullish(v.record(v.string(), v.unknown()), {}),
})

export type ClientMessage =
  /** `since` is `invalid` when it is neither `now` nor a possible number; the token is checked anyway. */
  | {
      readonly type: 'auth'
      readonly token: string | undefined
      readonly since: number | 'now' | 'invalid' | undefined
    }
  | { readonly type: 'ping' }
  | ({ readonly type: 'chat_send' } & ChatSend)
  | { readonly type: 'subscribe'; readonly topics: readonly string[] }
  /** An unreadable message: the code and sentence of the answer. */
  | {
      readonly type: 'not_understood'
      readonly code: ChatErrorCode
      readonly error: string
      /** Present for a `chat_send`; with its `id` when that is valid. */
      readonly line?: { readonly id: ChatId | undefined }
    }

const notUnderstood = (code: ChatErrorCode, error: string) =>
  ({ type: 'not_understood', code, error }) as const

/** `since` is the `seq` of the last chat line that the client has; 0 for all kept lines, `now` for none of them. */
export const authPayload = v.object({
  token: v.string(),
  since: v.optional(v.union([v.literal('now'), v.pipe(v.number(), v.safeInteger(), v.minValue(0))])),
})
/** The id that a client gives a `chat_send`; `chat_sent` or `error` repeats it. */
export const chatId = v.union([v.pipe(v.string(), v.maxLength(64)), v.pipe(v.number(), v.safeInteger())])
export type ChatId = v.InferOutput<typeof chatId>
export const chatSendPayload = v.object({ author: v.string(), message: v.string(), id: v.nullish(chatId) })
export type ChatSend = v.InferOutput<typeof chatSendPayload>
export const subscribePayload = v.object({
  topics: v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(16)),
})

/** Reads one text frame; never throws. */
export function readClientMessage(text: string): ClientMessage {
  const value = foreignValue(text)
  const parsed = checkForeign(envelope, value)
  if (!parsed.success) {
    return isTyped(value)
      ? notUnderstood('invalid_payload', 'payload must be an object')
      : notUnderstood('malformed', 'A message is a JSON object with a type')
  }
  const { type, payload } = parsed.output
  switch (type) {
    case 'auth': {
      const { token, since } = authPayload.entries
      const shown = checkForeign(token, payload?.token)
      const known = checkForeign(v.nullish(since), payload?.since)
      return {
        type,
        token: shown.success ? shown.output : undefined,
        since: known.success ? (known.output ?? undefined) : 'invalid',
      }
    }
    case 'ping':
      return { type }
    case 'chat_send': {
      const read = checkForeign(chatSendPayload, payload)
      if (read.success) return { type, ...read.output }
      const id = checkForeign(chatId, payload?.['id'])
      const sentence =
        'chat_send needs an author and a message; an id is a text of up to 64 units or an integer'
      return {
        ...notUnderstood('invalid_payload', sentence),
        line: { id: id.success ? id.output : undefined },
      }
    }
    case 'subscribe': {
      const read = checkForeign(subscribePayload, payload)
      return read.success
        ? { type, topics: read.output.topics }
        : notUnderstood('invalid_payload', 'subscribe needs a list of topics')
    }
    default:
      return notUnderstood('unknown_type', `Unknown message type; known are auth, ping, chat_send, subscribe`)
  }
}

const isTyped = (value: unknown) => v.is(v.object({ type: v.string() }), value)

const constant = (type: string) => () => `{"type":"${type}"}`

export const authSuccess = constant('auth_success')
export const pong = constant('pong')

/** Has `error` at the top level and in `payload`, because existing clients read one or the other. */
export const authFailed = (error: string) => stringifyJson({ type: 'auth_failed', error, payload: { error } })

/** @param id of the line that was not said */
export const errorMessage = (code: ChatErrorCode, error: string, id?: ChatId | null) =>
  stringifyJson({ type: 'error', payload: { code, error, id: id ?? undefined } })

/** @param id of the line that was not said */
export const insufficientScope = (scope: Scope, id?: ChatId | null) =>
  stringifyJson({
    type: 'error',
    payload: { code: 'insufficient_scope', error: lacks(scope), scope, id: id ?? undefined },
  })

/** Answer to a `chat_send` with an id: the game has all its lines. */
export const chatSent = (id: ChatId) => stringifyJson({ type: 'chat_sent', payload: { id } })

/** A line of the game's chat. @param seq greater than that of the line before; a gap says what is between */
export const chatMessage = (
  line: { readonly playerName: string; readonly message: string; readonly timestamp: string },
  seq: number,
) =>
  stringifyJson({
    type: 'chat',
    payload: {
      playerName: line.playerName.toWellFormed(),
      message: line.message.toWellFormed(),
      timestamp: line.timestamp,
      seq,
    },
  })

/** Reports that the lines `from` to `to`, both included, are not sent; `from` is null where it is not known. */
export const gapMessage = (from: number | null, to: number) =>
  stringifyJson({ type: 'gap', payload: { from, to } })

/** Lines may be missing, because farmgate or its connection to the game's chat was down. */
export const missedMessage = ({ from, to }: ChatOutage) =>
  stringifyJson({ type: 'missed', payload: { from, to } })

export const subscribedMessage = (chosen: readonly Followed[]) =>
  stringifyJson({ type: 'subscribed', payload: { topics: chosen } })

/** @param data the answer of the topic's read: `/players`, `/status` or `/cabins` */
export const snapshotMessage = (topic: Topic, data: unknown, eventSeq: number, timestamp: string) =>
  stringifyRecord({ type: 'snapshot', payload: { topic, eventSeq, timestamp, data } })

export const topicOfEvent = {
  player_joined: 'players',
  player_left: 'players',
  player_changed: 'players',
  'player.unlisted': 'players',
  status_changed: 'status',
  'game.wrong_farm': 'status',
  day_started: 'status',
  season_started: 'status',
  ready_changed: 'status',
  rendering_changed: 'status',
  cabin_changed: 'cabins',
} as const satisfies Readonly<Record<LiveEvent['type'], Topic>>

/** The topic whose subscribers get an event. */
export const topicOf = (event: LiveEvent): Topic => topicOfEvent[event.type]

/** @param eventSeq one more than that of the event before, counted over all topics */
export function eventMessage({ type, ...what }: LiveEvent, eventSeq: number, timestamp: string): string {
  return stringifyRecord({
    type: 'event',
    payload: { topic: topicOfEvent[type], event: type, eventSeq, timestamp, ...what },
  })
}

/** A line of the game's log, or the number of those that are left out. */
export function logMessage(event: LogEvent): string {
  if (event.type === 'log_gap')
    return stringifyJson({ type: 'gap', payload: { topic: 'log', lines: event.lines } })
  const { type: _, ...line } = event
  return stringifyJson({ type: 'event', payload: { topic: 'log', ...line } })
}
