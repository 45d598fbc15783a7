/**
 * The frames that the farm and the edge send each other over the link (bridges/linked/README.md). Each is a text frame
 * with one line of JSON. The result of an answer is a second line, so that it can be compared with the previous answer
 * without parsing.
 *
 * No RPC library is used. birpc has no deadlines that both ends keep and no limits against a hostile peer. capnweb
 * keeps tables of objects in memory, which a hibernating Durable Object loses. Neither carries int64 exactly.
 */
import * as v from 'valibot'
import { causeCodes } from '../../handlers/cause.ts'
import { followable } from '../../handlers/chat/messages.ts'
import { chatOutage } from '../../handlers/chat-outage.ts'
import { wrongFarm } from '../../handlers/expected-farm.ts'
import { farmFailure } from '../../handlers/farm-error.ts'
import { farmUpkeep } from '../../handlers/farm-upkeep.ts'
import { cabins, connections, player, status, timestamp } from '../../handlers/game-records.ts'
import { listOf, readForeign } from '../../lib/foreign/read.ts'
import { stringifyJson } from '../../lib/json.ts'
import { keyDigests, keyIds } from './key-digests.ts'

/** The number of this protocol. Ends of different numbers stay linked; each ignores the frames that it does not know. */
export const protocolVersion = 1

/** Close codes of the link in addition to those of RFC 6455. */
export const linkCloseCodes = {
  /** An instance of the edge is restarting: the one of the link, or the owner of the farm's object. */
  restarting: 1012,
  /** A newer link of the same farm took over. */
  replaced: 4001,
  /** A frame is not one of this protocol, or came at the wrong time. */
  notUnderstood: 4400,
  /** The farm was deleted, or its key was replaced. */
  revoked: 4401,
  /** No hello, or no heartbeat, came in time. */
  silent: 4408,
  /** Too many frames, or too many bytes waiting to be sent. */
  flooded: 4429,
} as const

/** Heartbeat: Cloudflare answers exactly this text without waking the Durable Object. */
export const heartbeat = { ping: '{"type":"ping"}', pong: '{"type":"pong"}' } as const
/**
 * Milliseconds between two heartbeats. Each also updates `/status.lastUpdated` at the edge, so that it is at most 15 s
 * old while the game is well.
 */
export const heartbeatEvery = 12_000
/** Milliseconds without a heartbeat after which the edge closes a link: three missed heartbeats. */
export const silence = 44_000

/** Maximum of UTF-16 units in a frame of a farm. A screenshot of a large farm is smaller. */
export const maxFarmFrame = 8 * 1024 * 1024
/** Maximum of UTF-16 units in its first line, so that what the edge stores of it fits a row of SQLite (2 MB). */
export const maxHead = 512 * 1024
/** Maximum of bytes in a frame of an edge. The largest is a piece of an upload, of 192 KiB as base64. */
export const maxEdgeFrame = 272 * 1024

/**
 * Maximum of values in the first line. A farm's largest has its thousand named keys; an edge's has the arguments of a
 * call.
 */
const maxValues = { farm: 20_000, edge: 5_000 } as const

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const lineNumber = v.pipe(count, v.minValue(1))
/** Not an integer in every game; bounded, so that the edge can calculate with it. */
const measure = v.pipe(v.number(), v.minValue(0), v.maxValue(Number.MAX_SAFE_INTEGER))
/** Milliseconds since 1970 that a `Date` can have. */
const moment = v.pipe(v.number(), v.minValue(0), v.maxValue(8.64e15))
const topic = v.picklist(followable)

/**
 * The game's health as the farm sends it. The edge continues to count the ticks at `pace` until the farm sends a new
 * health.
 */
export const farmHealth = v.object({
  gameAvailable: v.boolean(),
  /** As `GameHealth.awaySince`, by the clock of the farm's machine. */
  awaySince: v.optional(moment),
  /** As `GameHealth.chatLostAt`, by the clock of the farm's machine. */
  chatLostAt: v.optional(moment),
  isFrozen: v.boolean(),
  /** As `GameHealth.isStale`. */
  isStale: v.exactOptional(v.literal(true)),
  tickCount: measure,
  lastTickMs: v.optional(measure),
  /** Ticks per second. */
  pace: measure,
  /** Of the farm's records. */
  records: v.picklist(['ok', 'failed']),
  /** As `GameHealth.connections`. */
  connections: v.optional(connections),
  /** As `GameHealth.cause`, by the clock of the farm's machine. */
  cause: v.exactOptional(v.object({ code: v.picklist(causeCodes), since: moment })),
  /** Missing where nothing is known of it. */
  upkeep: v.exactOptional(farmUpkeep),
})
export type FarmHealth = v.InferOutput<typeof farmHealth>

/**
 * The events that are sent as events. Chat is sent as numbered `line` frames. `day_started`, `season_started` and
 * `ready_changed` are not sent: the edge derives them from two statuses (`statusEvents`), also when the link was lost
 * between the two.
 */
const sentEvent = v.variant('type', [
  v.object({ type: v.literal('player_joined'), player }),
  v.object({ type: v.literal('player_left'), player }),
  v.object({ type: v.literal('player_changed'), player }),
  v.object({ type: v.literal('player.unlisted'), player }),
  v.object({ type: v.literal('status_changed'), status }),
  v.object({ type: v.literal('game.wrong_farm'), ...wrongFarm }),
  v.object({ type: v.literal('rendering_changed'), fps: measure }),
  v.object({ type: v.literal('cabin_changed'), cabins }),
])

const logEvent = v.variant('type', [
  v.object({
    type: v.literal('log'),
    at: v.exactOptional(timestamp),
    text: v.pipe(v.string(), v.maxLength(8192)),
  }),
  v.object({ type: v.literal('log_gap'), lines: count }),
])

const farmFrame = v.variant('type', [
  /**
   * The first frame. `run` names the farm's process. `keepsChat`: whether the text of chat lines may be stored, also
   * at the edge. `numbers` of chat lines (`seq`): `from` is the first for an edge without lines, `next` that of the next
   * line.
   */
  v.object({
    type: v.literal('hello'),
    /** The farm's `protocolVersion`. */
    version: count,
    run: v.pipe(v.string(), v.minLength(8), v.maxLength(64)),
    status,
    health: farmHealth,
    keepsChat: v.exactOptional(v.literal(false)),
    numbers: v.object({ from: lineNumber, next: lineNumber }),
  }),
  v.object({ type: v.literal('answer'), id: count }),
  v.object({ type: v.literal('failure'), id: count, failure: farmFailure }),
  /** Line `n` of the game's chat. Sent again on a new link until `heard` confirms it. */
  v.object({
    type: v.literal('line'),
    n: lineNumber,
    playerName: v.string(),
    message: v.string(),
    timestamp,
  }),
  /** Lines after number `after` may be missing. The kept ones are sent again on each link, after the lines before them. */
  v.object({ type: v.literal('missed'), ...chatOutage.entries }),
  /** Answers `numbers`, after all lines that were said before. */
  v.object({ type: v.literal('numbers'), next: lineNumber }),
  v.object({ type: v.literal('event'), event: sentEvent }),
  v.object({ type: v.literal('health'), health: farmHealth }),
  /** Lines of the game's log, while they are watched. */
  v.object({ type: v.literal('log'), events: listOf(logEvent, 1000) }),
  /**
   * All named keys and sessions, after the `welcome`. With `gone` only those that have changed since, and the ids of
   * those that have ended.
   */
  v.object({ type: v.literal('keys'), keys: keyDigests, gone: v.exactOptional(keyIds) }),
])

const edgeFrame = v.variant('type', [
  /**
   * `heard`: the number of the last line of this farm that the edge has stored; 0 for none. `newest`: the greatest
   * `seq` that it has shown.
   */
  v.object({ type: v.literal('welcome'), generation: count, heard: count, newest: count }),
  v.object({ type: v.literal('call'), id: count, method: v.string(), args: v.unknown() }),
  /** The caller no longer waits for the answer to this call. */
  v.object({ type: v.literal('cancel'), id: count }),
  /** The edge has stored all lines up to `n`. */
  v.object({ type: v.literal('heard'), n: count }),
  /** Send the number of the next line. */
  v.object({ type: v.literal('numbers') }),
  /** Send every event of these topics from now on, and of no others. */
  v.object({ type: v.literal('watch'), topics: listOf(topic, followable.length) }),
  /** A client reads the status: send every change of it for two minutes. */
  v.object({ type: v.literal('look') }),
  v.object({ type: v.literal('pong') }),
])

export type FarmFrame = v.InferOutput<typeof farmFrame>
export type EdgeFrame = v.InferOutput<typeof edgeFrame>

/**
 * A frame that only an end with another number sends. One with `id` belongs to a call: it is a call of another kind, or
 * such an answer.
 */
interface UnknownFrame {
  readonly type: 'unknown'
  readonly id?: number
}

const otherThan = (known: readonly string[]) =>
  v.pipe(
    v.string(),
    v.check((name) => !known.includes(name)),
  )
const typeOf = (option: { readonly entries: { readonly type: { readonly literal: string } } }) =>
  option.entries.type.literal
const kinds = farmFailure.options.map(({ entries }) => entries.kind.literal)
const unknownFrame = <Entries extends v.ObjectEntries>(entries: Entries) =>
  v.pipe(
    v.object({ ...entries, id: v.exactOptional(count) }),
    v.transform(({ id }): UnknownFrame => ({ type: 'unknown', ...(id !== undefined && { id }) })),
  )
const anyFarmFrame = v.union([
  farmFrame,
  unknownFrame({ type: otherThan(farmFrame.options.map(typeOf)) }),
  unknownFrame({
    type: v.literal('event'),
    event: v.object({ type: otherThan(sentEvent.options.map(typeOf)) }),
  }),
  unknownFrame({ type: v.literal('failure'), failure: v.object({ kind: otherThan(kinds) }) }),
])
const anyEdgeFrame = v.union([edgeFrame, unknownFrame({ type: otherThan(edgeFrame.options.map(typeOf)) })])

export interface Received<Frame> {
  readonly frame: Frame | UnknownFrame
  /** The second line, unparsed. */
  readonly body?: string
}

/** One frame as text. @param body a second line of JSON */
export const frameText = (frame: FarmFrame | EdgeFrame, body?: string): string =>
  body === undefined ? stringifyJson(frame) : `${stringifyJson(frame)}\n${body}`

function read<Frame extends FarmFrame | EdgeFrame>(
  schema: v.GenericSchema<unknown, Frame | UnknownFrame>,
  text: string,
  values: number,
): Received<Frame> | undefined {
  const end = text.indexOf('\n')
  const head = end < 0 ? text : text.slice(0, end)
  const frame = readForeign(schema, head, { units: maxHead, values })
  if (frame === undefined) return undefined
  if (end < 0) return { frame }
  return frame.type === 'answer' || frame.type === 'unknown'
    ? { frame, body: text.slice(end + 1) }
    : undefined
}

/** @returns undefined for a text that is not a frame of a farm */
export const readFarmFrame = (text: string) => read<FarmFrame>(anyFarmFrame, text, maxValues.farm)
/** @returns undefined for a text that is not a frame of an edge */
export const readEdgeFrame = (text: string) => read<EdgeFrame>(anyEdgeFrame, text, maxValues.edge)
