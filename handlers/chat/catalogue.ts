/** Every message of `/ws`. The AsyncAPI document is made from it, and tests compare what the code sends with it. */
import * as v from 'valibot'
import { wrongFarm } from '../expected-farm.ts'
import * as records from '../game-records.ts'
import { logLine } from '../host-record.ts'
import { type Scope, scopes } from '../key-holder.ts'
import {
  authPayload,
  chatErrorCodes,
  chatId,
  chatSendPayload,
  followable,
  subscribePayload,
} from './messages.ts'

export interface MessageDescription {
  /** The `type` member. */
  readonly type: string
  readonly from: 'client' | 'server'
  /** The scopes of which the sender's key needs one. */
  readonly scope?: Scope
  readonly summary: string
  /** Left out when the message has none. */
  readonly payload?: v.GenericSchema
  readonly example: Readonly<Record<string, unknown>>
}

const { timestamp } = records
const seq = v.pipe(v.number(), v.safeInteger())
const eventSeq = seq
const topic = v.picklist(followable)

/** The payload of a topic's snapshot. @param data what `GET` on the topic answers */
const snapshot = <T extends string, Data extends v.GenericSchema>(name: T, data: Data) =>
  v.object({ topic: v.literal(name), eventSeq, timestamp, data })

/** The payload of a topic's event. @param what the members that only this event has */
const event = <T extends string, E extends string, What extends v.ObjectEntries>(
  name: T,
  type: E,
  what: What,
) => v.object({ topic: v.literal(name), event: v.literal(type), eventSeq, timestamp, ...what })

const season = records.status.entries.season
const date = { day: v.number(), season, year: v.number() }
const reason = v.object({ error: v.string() })
const now = '2026-11-21T12:00:00.000Z'

export const messageCatalogue: readonly MessageDescription[] = [
  {
    type: 'auth',
    from: 'client',
    summary:
      'First message when a key is set; with since, missed chat lines follow auth_success; "now" is for a client that wants only new lines',
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
    scope: 'chat',
    summary:
      'A message for the game, shown as "(Web) author: message" in up to ten lines; not echoed. With an id, the answer is chat_sent, or an error with the id',
    payload: chatSendPayload,
    example: { type: 'chat_send', payload: { author: 'Discord', message: 'hello', id: 'line-1' } },
  },
  {
    type: 'subscribe',
    from: 'client',
    scope: 'read',
    summary: 'Asks for live state: a snapshot per topic, then events',
    payload: subscribePayload,
    example: { type: 'subscribe', payload: { topics: ['players', 'status'] } },
  },
  {
    type: 'auth_success',
    from: 'server',
    summary: 'Messages follow from now on',
    example: { type: 'auth_success' },
  },
  {
    type: 'auth_failed',
    from: 'server',
    summary: 'The connection is closed with 1008; error is also at the top level',
    payload: reason,
    example: { type: 'auth_failed', error: 'Invalid token', payload: { error: 'Invalid token' } },
  },
  { type: 'pong', from: 'server', summary: 'Answer to ping', example: { type: 'pong' } },
  {
    type: 'chat',
    from: 'server',
    summary: 'A player wrote in the game; seq counts up by one with each line',
    payload: v.object({ playerName: v.string(), message: v.string(), timestamp, seq }),
    example: {
      type: 'chat',
      payload: { playerName: 'Abby', message: 'hi', timestamp: now, seq: 1795262400000001 },
    },
  },
  {
    type: 'chat_sent',
    from: 'server',
    summary: 'The game has the whole message with that id',
    payload: v.object({ id: chatId }),
    example: { type: 'chat_sent', payload: { id: 'line-1' } },
  },
  {
    type: 'gap',
    from: 'server',
    summary:
      'The chat lines with a seq of from to to, both included, are missing: they are no longer kept, or were lost; with from null, since is greater than every seq. With topic log: so many lines of the log are left out',
    payload: v.union([
      v.object({ from: v.nullable(seq), to: seq }),
      v.object({ topic: v.literal('log'), lines: v.pipe(v.number(), v.safeInteger()) }),
    ]),
    example: { type: 'gap', payload: { from: 1795262300000005, to: 1795262399999999 } },
  },
  {
    type: 'missed',
    from: 'server',
    summary:
      "Chat lines from that time may be missing: farmgate, or its connection to the game's chat, was down. Sent once per outage to a client that has used since or subscribe",
    payload: v.object({ from: timestamp, to: timestamp }),
    example: { type: 'missed', payload: { from: '2026-11-21T11:58:00.000Z', to: now } },
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
    summary: 'The answer of GET on the topic; only events with a greater eventSeq follow',
    payload: v.variant('topic', [
      snapshot('players', records.players),
      snapshot('status', records.status),
      snapshot('cabins', records.cabins),
    ]),
    example: {
      type: 'snapshot',
      payload: {
        topic: 'players',
        eventSeq: 1795262400000000,
        timestamp: now,
        data: { players: [], version: 7 },
      },
    },
  },
  {
    type: 'event',
    from: 'server',
    summary:
      "An event of a subscribed topic; eventSeq grows over all topics. With topic log: a line of the game's log",
    payload: v.union([
      event('players', 'player_joined', { player: records.player }),
      event('players', 'player_left', { player: records.player }),
      event('players', 'player_changed', { player: records.player }),
      event('players', 'player.unlisted', { player: records.player }),
      event('status', 'status_changed', { status: records.status }),
      event('status', 'game.wrong_farm', wrongFarm),
      event('status', 'day_started', date),
      event('status', 'season_started', { season: date.season, year: date.year }),
      event('status', 'ready_changed', { isReady: v.boolean() }),
      event('status', 'rendering_changed', { fps: v.number() }),
      event('cabins', 'cabin_changed', { cabins: records.cabins }),
      v.object({ topic: v.literal('log'), ...logLine.entries }),
    ]),
    example: {
      type: 'event',
      payload: {
        topic: 'players',
        event: 'player_joined',
        eventSeq: 1795262400000001,
        timestamp: now,
        player: { id: 6208260877024290921n, name: 'Abby', isOnline: true },
      },
    },
  },
  {
    type: 'error',
    from: 'server',
    summary:
      'A message was invalid or failed; the connection stays open. id is that of the chat_send, scope the one that the key lacks',
    payload: v.object({
      code: v.picklist(chatErrorCodes),
      error: v.string(),
      scope: v.optional(v.picklist(scopes)),
      id: v.optional(chatId),
    }),
    example: { type: 'error', payload: { code: 'unknown_type', error: 'Unknown message type' } },
  },
]
