/**
 * What the farm and the edge say to each other over the link: text frames, each one line of JSON, an answer's
 * result on a second line so that it can be compared, and skipped, unparsed. docs/link.md explains it.
 *
 * A protocol of our own rather than an RPC library: birpc has neither deadlines that both ends keep nor bounds
 * against a hostile peer, and capnweb's object tables live in memory, which a hibernating object loses; neither
 * carries int64 exactly.
 */
import * as v from 'valibot'
import { topics } from '../../handlers/chat/messages.ts'
import { type AbilityName, abilities } from '../../handlers/game-abilities.ts'
import { gameFailure } from '../../handlers/game-error.ts'
import { cabins, player, status, timestamp } from '../../handlers/game-records.ts'
import { parseJson, stringifyJson } from '../../handlers/json.ts'

export const protocolVersion = 1

/** Close codes of the link, beyond RFC 6455's own. */
export const linkCloseCodes = {
  /** A newer link of the same farm took over. */
  replaced: 4001,
  /** What came is not this protocol. */
  notUnderstood: 4400,
  /** The farm, or its key, is no more. */
  revoked: 4401,
  /** No answer to heartbeats. */
  silent: 4408,
  /** More than the link may carry. */
  flooded: 4429,
} as const

/** Heartbeat: the platform answers exactly this text without waking the object. */
export const heartbeat = { ping: '{"type":"ping"}', pong: '{"type":"pong"}' } as const
/**
 * Milliseconds between two heartbeats, and without one until a link counts as dead (three are missed).
 * Heartbeats are also what moves `/status.lastUpdated` at the edge, which is to be no older than 15 s.
 */
export const heartbeatEvery = 12_000
export const silence = 44_000

/** Milliseconds that a call may take over the link: what the game has for it, and one second for the way. */
export const callBudget = (method: AbilityName): number => abilities[method].budget + 1_000

/** Longest frame either way, in UTF-16 units: a screenshot of a large farm fits. */
export const longestFrame = 8 * 1024 * 1024

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const topic = v.picklist(topics)

/** The game's health as last told; the edge reckons the ticks on at `pace` until told otherwise. */
export const farmHealth = v.object({
  gameAvailable: v.boolean(),
  /** As `GameHealth.awaySince`, by the clock of the farm's machine. */
  awaySince: v.optional(v.number()),
  isFrozen: v.boolean(),
  tickCount: v.number(),
  lastTickMs: v.optional(v.number()),
  /** Ticks per second. */
  pace: v.number(),
})
export type FarmHealth = v.InferOutput<typeof farmHealth>

/**
 * What is sent of `GameEvent`: all but chat, which travels as numbered lines, and what follows from two
 * statuses (`statusEvents`), which the edge sees for itself, over a lost link too.
 */
const sentEvent = v.variant('type', [
  v.object({ type: v.literal('player_joined'), player }),
  v.object({ type: v.literal('player_left'), player }),
  v.object({ type: v.literal('status_changed'), status }),
  v.object({ type: v.literal('rendering_changed'), fps: v.number() }),
  v.object({ type: v.literal('cabin_changed'), cabins }),
])

const farmFrame = v.variant('type', [
  /** First of all. `run` names this process: line numbers count within it. */
  v.object({
    type: v.literal('hello'),
    version: v.literal(protocolVersion),
    run: v.pipe(v.string(), v.minLength(8), v.maxLength(64)),
    status,
    health: farmHealth,
  }),
  v.object({ type: v.literal('answer'), id: count }),
  v.object({ type: v.literal('failure'), id: count, failure: gameFailure }),
  /** Line `n` of the game's chat in this run, from 1; sent again until `heard` says it is kept. */
  v.object({
    type: v.literal('line'),
    n: v.pipe(count, v.minValue(1)),
    playerName: v.string(),
    message: v.string(),
    timestamp,
  }),
  v.object({ type: v.literal('event'), event: sentEvent }),
  v.object({ type: v.literal('health'), health: farmHealth }),
])

const edgeFrame = v.variant('type', [
  /** `heard`: the last line of this run that is kept. */
  v.object({ type: v.literal('welcome'), generation: count, heard: count }),
  v.object({ type: v.literal('call'), id: count, method: v.string(), args: v.unknown() }),
  /** Nobody waits for that answer any more. */
  v.object({ type: v.literal('cancel'), id: count }),
  v.object({ type: v.literal('heard'), n: count }),
  /** From now on every event of these topics is wanted, and of no others. */
  v.object({ type: v.literal('watch'), topics: v.array(topic) }),
  /** Somebody looks at the status: it is wanted fresh for a while. */
  v.object({ type: v.literal('look') }),
  v.object({ type: v.literal('pong') }),
])

export type FarmFrame = v.InferOutput<typeof farmFrame>
export type EdgeFrame = v.InferOutput<typeof edgeFrame>

export interface Received<Frame> {
  readonly frame: Frame
  /** The second line, unparsed. */
  readonly body?: string
}

/** One frame as text. @param body a second line of JSON */
export const frameText = (frame: FarmFrame | EdgeFrame, body?: string): string =>
  body === undefined ? stringifyJson(frame) : `${stringifyJson(frame)}\n${body}`

function read<Frame>(schema: v.GenericSchema<unknown, Frame>, text: string): Received<Frame> | undefined {
  const end = text.indexOf('\n')
  try {
    const parsed = v.safeParse(schema, parseJson(end < 0 ? text : text.slice(0, end)))
    if (!parsed.success) return undefined
    return end < 0 ? { frame: parsed.output } : { frame: parsed.output, body: text.slice(end + 1) }
  } catch {
    return undefined
  }
}

/** @returns undefined for what is no frame of a farm */
export const readFarmFrame = (text: string) => read<FarmFrame>(farmFrame, text)
/** @returns undefined for what is no frame of an edge */
export const readEdgeFrame = (text: string) => read<EdgeFrame>(edgeFrame, text)
