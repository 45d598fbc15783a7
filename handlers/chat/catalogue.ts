/** Every message of `/ws`, for the AsyncAPI document and the tests that hold the code against it. */
import * as v from 'valibot'
import { timestamp } from '../game-records.ts'
import { authPayload, chatSendPayload, subscribePayload, topics } from './messages.ts'

export interface MessageDescription {
  /** The `type` member. */
  readonly type: string
  readonly from: 'client' | 'server'
  readonly summary: string
  /** Left out when the message has none. */
  readonly payload?: v.GenericSchema
  readonly example: Readonly<Record<string, unknown>>
}

const seq = v.pipe(v.number(), v.safeInteger())
const topic = v.picklist(topics)
const reason = v.object({ error: v.string() })
const now = '2026-11-21T12:00:00.000Z'

export const messageCatalogue: readonly MessageDescription[] = [
  {
    type: 'auth',
    from: 'client',
    summary: 'First message when a key is set; with since, missed chat lines follow auth_success',
    payload: authPayload,
    example: { type: 'auth', payload: { token: '<API_KEY>', since: 1795262400000000 } },
  },
  {
    type: 'ping',
    from: 'client',
    summary: 'Heartbeat; every 30 seconds is usual',
    example: { type: 'ping' },
  },
  {
    type: 'chat_send',
    from: 'client',
    summary: 'A line said into the game as "(Web) author: message"; not echoed',
    payload: chatSendPayload,
    example: { type: 'chat_send', payload: { author: 'Discord', message: 'hello' } },
  },
  {
    type: 'subscribe',
    from: 'client',
    summary: 'Asks for live state: a snapshot per topic, then events',
    payload: subscribePayload,
    example: { type: 'subscribe', payload: { topics: ['players', 'status'] } },
  },
  {
    type: 'auth_success',
    from: 'server',
    summary: 'Messages flow from now on',
    example: { type: 'auth_success' },
  },
  {
    type: 'auth_failed',
    from: 'server',
    summary: 'The connection is closed with 1008; error stands at the top level too',
    payload: reason,
    example: { type: 'auth_failed', error: 'Invalid token', payload: { error: 'Invalid token' } },
  },
  { type: 'pong', from: 'server', summary: 'Answer to ping', example: { type: 'pong' } },
  {
    type: 'chat',
    from: 'server',
    summary: 'A player wrote in the game; seq counts up by one per line',
    payload: v.object({ playerName: v.string(), message: v.string(), timestamp, seq }),
    example: {
      type: 'chat',
      payload: { playerName: 'Abby', message: 'hi', timestamp: now, seq: 1795262400000001 },
    },
  },
  {
    type: 'gap',
    from: 'server',
    summary: 'Chat lines from and to, both included, are no longer held',
    payload: v.object({ from: seq, to: seq }),
    example: { type: 'gap', payload: { from: 1795262300000005, to: 1795262399999999 } },
  },
  {
    type: 'subscribed',
    from: 'server',
    summary: 'Answer to subscribe; snapshots follow',
    payload: v.object({ topics: v.array(topic) }),
    example: { type: 'subscribed', payload: { topics: ['players'] } },
  },
  {
    type: 'snapshot',
    from: 'server',
    summary: 'What GET on the topic answers; events with a greater seq come after it',
    payload: v.object({ topic, seq, timestamp, data: v.record(v.string(), v.unknown()) }),
    example: {
      type: 'snapshot',
      payload: { topic: 'players', seq: 1795262400000000, timestamp: now, data: { players: [], version: 7 } },
    },
  },
  {
    type: 'event',
    from: 'server',
    summary:
      'player_joined, player_left, status_changed, day_started, season_started, ready_changed, rendering_changed, cabin_changed',
    payload: v.looseObject({ topic, event: v.string(), seq, timestamp }),
    example: {
      type: 'event',
      payload: {
        topic: 'status',
        event: 'day_started',
        seq: 1795262400000001,
        timestamp: now,
        day: 6,
        season: 'spring',
        year: 1,
      },
    },
  },
  {
    type: 'error',
    from: 'server',
    summary: 'A message was not understood or not carried out; the connection stays',
    payload: v.object({
      code: v.picklist([
        'malformed',
        'unknown_type',
        'invalid_payload',
        'message_too_long',
        'rate_limited',
        'game_unavailable',
        'unknown_topic',
      ]),
      error: v.string(),
    }),
    example: { type: 'error', payload: { code: 'unknown_type', error: 'Unknown message type' } },
  },
]
