/** The records of the past: who played when, how the game ran, its days and its chat (docs/keys-and-records.md). */
import * as v from 'valibot'
import { causeCodes } from './cause.ts'
import { described } from './described.ts'
import { connection, timestamp } from './game-records.ts'
import { int64 } from './int64.ts'
import { outageParts } from './outages.ts'
import type { PageQuery } from './parameter.ts'

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
/** The text to pass as `before` for the next page; missing on the last one. */
const next = v.optional(v.string())

export const sessionEnds = ['left', 'away', 'unknown'] as const

export const historySessions = v.object({
  sessions: v.array(
    v.object({
      playerId: int64,
      name: v.string(),
      joinedAt: timestamp,
      leftAt: v.optional(described('Missing while the player is on the farm.', timestamp)),
      joinPath: v.optional(connection.entries.joinPath),
      ended: v.optional(
        described(
          '`left`: the player left. `away`: the game stopped or no longer answered. `unknown`: farmgate did not run.',
          v.picklist(sessionEnds),
        ),
      ),
    }),
  ),
  next,
})
export type HistorySessions = v.InferOutput<typeof historySessions>

/** Times are milliseconds since 1970. */
export interface SessionsQuery extends PageQuery {
  readonly from?: number
  readonly to?: number
  readonly playerId?: bigint
}

/** Most recently seen first. */
export const historyPlayers = v.object({
  players: v.array(
    v.object({
      playerId: int64,
      name: v.string(),
      firstSeen: timestamp,
      lastSeen: timestamp,
      minutesPlayed: count,
      sessions: count,
    }),
  ),
})
export type HistoryPlayers = v.InferOutput<typeof historyPlayers>

/** What one sample measures. Values that the game does not report are missing. */
export const measures = [
  'players',
  'ticksPerSecond',
  'tickMs',
  'memoryMb',
  'answerMs',
  'machineCpuPercent',
  'machineMemoryMb',
  'gameCpuPercent',
  'gameMemoryMb',
  'diskPercent',
] as const
export type Measure = (typeof measures)[number]

export const summary = described(
  'Mean and maximum within one step.',
  v.object({ mean: v.number(), max: v.number() }),
)
const measured = v.optional(summary)

/** Oldest first, without steps that have no sample. */
export const historySamples = v.object({
  step: described('Seconds of each step.', count),
  samples: v.array(
    v.object({
      at: described('When the step began.', timestamp),
      players: measured,
      ticksPerSecond: measured,
      tickMs: measured,
      memoryMb: measured,
      answerMs: v.optional(described('How long the game took to answer.', summary)),
      machineCpuPercent: v.optional(described('Of all processors, 0 to 100.', summary)),
      machineMemoryMb: measured,
      gameCpuPercent: v.optional(described('Of all processors, 0 to 100.', summary)),
      gameMemoryMb: v.optional(described('Of the process, as its host reports it.', summary)),
      diskPercent: v.optional(described('Of the fullest disk that farmgate or the game writes.', summary)),
    }),
  ),
})
export type HistorySamples = v.InferOutput<typeof historySamples>

/** Milliseconds since 1970, and seconds. */
export interface SamplesQuery {
  readonly from: number
  readonly to: number
  readonly step: number
}

/** Newest first. */
export const historyDays = v.object({
  days: v.array(
    v.object({
      day: count,
      season: v.string(),
      year: count,
      beganAt: timestamp,
      endedAt: v.optional(described('Missing for the current day, and where it is unknown.', timestamp)),
      players: described(
        'Who was on the farm at any time of the day.',
        v.array(v.object({ playerId: int64, name: v.string() })),
      ),
    }),
  ),
  next,
})
export type HistoryDays = v.InferOutput<typeof historyDays>

/** Newest first. */
export const historyOutages = v.object({
  outages: v.array(
    v.object({
      of: v.picklist(outageParts),
      from: timestamp,
      to: v.exactOptional(described('Missing while it lasts.', timestamp)),
      cause: v.exactOptional(described('Of the game; see `GET /status`.', v.picklist(causeCodes))),
    }),
  ),
  share: described(
    'Of the time from `from`, or since outages are recorded, without an outage: 0 to 1.',
    v.pipe(v.number(), v.minValue(0), v.maxValue(1)),
  ),
})

/** Newest first. */
export const historyChat = v.object({
  lines: v.array(
    v.object({ seq: count, playerName: v.string(), message: v.string(), timestamp: v.string() }),
  ),
  next,
})
export type HistoryChat = v.InferOutput<typeof historyChat>

/** A `chat` message of `/ws`, as it is kept. */
export const keptMessage = v.object({ payload: historyChat.entries.lines.item })
