/**
 * The report of a farm's object to the fleet object, so that `GET /farms` wakes no farm (docs/edge.md): at once when
 * the farm is linked or no longer linked, unless that changes all the time, and otherwise at most once a minute.
 */
import * as v from 'valibot'
import { type FarmUpkeep, farmUpkeep } from '../../handlers/farm-upkeep.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { Status } from '../../handlers/game-records.ts'
import type { Records } from '../../handlers/records.ts'
import { backOff } from '../../lib/back-off.ts'
import type { Clock } from '../../lib/clock.ts'
import { stringifyJson } from '../../lib/json.ts'
import type { KeyValues } from './storage.ts'

export const fleetReport = v.object({
  linked: v.boolean(),
  /** When the farm last sent something, milliseconds since 1970. */
  lastSeen: v.number(),
  /** Connected players; 0 while the farm is offline. */
  players: v.number(),
  /** Of the game server, as in `/status`; empty while it is unknown. */
  version: v.string(),
  /** Those below are missing from the report of an older release. */
  maxPlayers: v.exactOptional(v.number()),
  /** When players were last seen, milliseconds since 1970. */
  playedAt: v.exactOptional(v.number()),
  /** No one can play: the game does not answer, its main loop does not run, or no farm is loaded. */
  gameOffline: v.exactOptional(v.literal(true)),
  recordsFailing: v.exactOptional(v.literal(true)),
  upkeep: v.exactOptional(farmUpkeep),
})
export type FleetReport = v.InferOutput<typeof fleetReport>

/** Milliseconds between two reports of a farm that stays linked. */
const reportInterval = 60_000
/** Changes of the link that are reported at once, and milliseconds for each further one. */
const flips = { atOnce: 4, per: 10_000 } as const
/** Maximum of players that are shown, so that one farm cannot spoil the totals of all. */
const maxShown = 1_000_000
/** Milliseconds until a failed report is sent again. A deploy makes all farms report at once, to one object. */
const retries = { first: 20_000, max: 600_000 } as const
/** Maximum of UTF-16 units in a version. */
const maxVersion = 64

export type FleetReporter = ReturnType<typeof fleetReporter>

export interface FleetReporterParts extends Pick<Clock, 'now' | 'random'> {
  readonly game: Pick<GameBridge, 'health'> & {
    isLinked(): boolean
    lastStatus(): Status
    /** Undefined where nothing is known of it. */
    upkeep(): FarmUpkeep | undefined
    readonly records: Pick<Records, 'state'>
  }
  /** Stores the last sent report. */
  readonly storage: KeyValues
  /** Sends a report to the fleet object. @param at when it was made, milliseconds since 1970 */
  send(report: FleetReport, at: number): Promise<void>
  /** Called when a report was sent, or could not be sent; `nextReport` may have changed. @param cause of the failure */
  ended(cause?: unknown): void
}

/** The members whose change is reported; the times go with them. */
const shown = ({ lastSeen: _, playedAt: __, ...report }: FleetReport) =>
  stringifyJson(Object.entries(report).toSorted())

/** A farm that was never linked has nothing to report. */
const nothingYet = { report: { linked: false, lastSeen: 0, players: 0, version: '' }, at: 0 } as const

const place = 'fleetReport'
const stored = v.object({ report: fleetReport, at: v.number() })

export function fleetReporter({ game, storage, send, ended, now, random }: FleetReporterParts) {
  let last = v.parse(v.optional(stored, nothingYet), storage.get(place))
  let sending: Promise<void> | undefined
  let failures = 0
  let retryAt = 0
  let flipAt = 0
  let reportedAt = last.at
  let isStopped = false

  const current = (): FleetReport => {
    const linked = game.isLinked()
    const { playerCount, maxPlayers, serverVersion } = game.lastStatus()
    const { gameAvailable, isFrozen, isWithoutFarm, snapshotAt = 0 } = game.health()
    const upkeep = game.upkeep()
    const { players, playedAt } = last.report
    const lastSeen = linked ? now() : snapshotAt
    return {
      linked,
      lastSeen,
      players: Math.min(playerCount, maxShown),
      version: serverVersion.slice(0, maxVersion).toWellFormed(),
      maxPlayers: Math.min(maxPlayers, maxShown),
      ...(linked && (!gameAvailable || isFrozen || isWithoutFarm) && { gameOffline: true as const }),
      ...(linked && game.records.state() === 'failed' && { recordsFailing: true as const }),
      // Players of the last report were there until now.
      ...(playerCount > 0 || players > 0 ? { playedAt: lastSeen } : playedAt !== undefined && { playedAt }),
      ...(upkeep !== undefined && { upkeep }),
    }
  }
  /** When the present state must be reported; undefined when it was, or is being sent. */
  const dueAt = (): number | undefined => {
    if (isStopped || sending !== undefined) return undefined
    const { report } = last
    // The clock can be set back: no time of the past is later than now, and no wait is longer than usual.
    reportedAt = Math.min(reportedAt, now())
    flipAt = Math.min(flipAt, now() + flips.per)
    retryAt = Math.min(retryAt, now() + retries.max)
    const present = current()
    if (!present.linked && present.lastSeen === 0) return undefined
    if (present.linked !== report.linked) return Math.max(retryAt, flipAt)
    return shown(present) === shown(report) ? undefined : Math.max(retryAt, reportedAt + reportInterval)
  }
  const sendNow = async () => {
    const report = current()
    // Later than the last one even if the clock was set back, so that the fleet object keeps the newest.
    const at = Math.max(now(), last.at + 1)
    const failure = await send(report, at).catch((cause: unknown) => ({ cause }))
    sending = undefined
    if (isStopped) return
    if (failure !== undefined) {
      failures += 1
      retryAt = now() + backOff(retries, failures, random())
    } else {
      failures = 0
      reportedAt = now()
      if (report.linked !== last.report.linked)
        flipAt = Math.max(flipAt, now() - (flips.atOnce - 1) * flips.per) + flips.per
      last = { report, at }
      storage.put(place, last)
    }
    update()
    ended(failure?.cause)
  }
  const update = () => {
    if ((dueAt() ?? Number.POSITIVE_INFINITY) <= now()) sending = sendNow()
  }
  return {
    /** Sends a report if one is due. Call this after everything that may have changed one. */
    update,
    /** When an unsent report is due, milliseconds since 1970; undefined for none. */
    get nextReport(): number | undefined {
      return dueAt()
    },
    /** Sends no more reports, and waits for a pending one. */
    async stop() {
      isStopped = true
      await sending
    },
  }
}
