/** Records the farm's history from the game's events and from one sample a minute, also without clients. */
import { FarmError } from '../../handlers/farm-error.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { GameEvent } from '../../handlers/game-event.ts'
import type { Stats } from '../../handlers/game-records.ts'
import type { Clock } from '../../lib/clock.ts'
import type { BegunDay, DayPlayer } from '../records/days-table.ts'
import { idsFrom } from '../records/own-records.ts'
import type { Sample } from '../records/samples-table.ts'
import type { OpenSession } from '../records/sessions-table.ts'
import { type DayCalls, type GameDays, gameDays } from './game-days.ts'
import { type PlayerSessions, playerSessions, type SessionCalls } from './player-sessions.ts'

const minute = 60_000

type Measures = Omit<Sample, 'at'>

/**
 * Measures the game. The answer time is that of `players`, which every game has.
 * @param monotonic milliseconds, never running backwards
 * @throws {FarmError} when the game does not answer
 */
async function takeSample(
  game: Pick<GameBridge, 'players' | 'stats'>,
  monotonic: () => number,
): Promise<Measures> {
  const began = monotonic()
  const { players } = await game.players()
  const answerMs = monotonic() - began
  const stats = await statsOf(game)
  return {
    players: players.filter(({ isOnline }) => isOnline).length,
    answerMs,
    ...(stats && { ticksPerSecond: stats.tps, tickMs: stats.avgTickMs, memoryMb: stats.memoryMb }),
  }
}

/** @returns undefined when the game has no `/stats` */
async function statsOf(game: Pick<GameBridge, 'stats'>): Promise<Stats | undefined> {
  try {
    return await game.stats()
  } catch (error) {
    if (error instanceof FarmError && error.failure.kind === 'unsupported') return undefined
    throw error
  }
}

interface Reads {
  openSessions(): Promise<readonly OpenSession[]>
  newestSession(): Promise<number>
  openDay(): Promise<(BegunDay & { readonly players: readonly DayPlayer[] }) | undefined>
}

export interface RecorderParts extends Pick<Clock, 'now' | 'monotonic'> {
  readonly game: Pick<GameBridge, 'health' | 'status' | 'players' | 'stats' | 'subscribe'>
  /** What machine and game use, also while the game is offline. */
  readonly resources: () => Promise<Measures>
  readonly calls: Reads
  readonly later: SessionCalls & DayCalls & { sampled(sample: Sample): void }
}

export type HistoryRecorder = ReturnType<typeof recordHistory>

/** Milliseconds between two samples. */
const sampleEvery = 60_000

export function recordHistory(parts: RecorderParts) {
  const { game, resources, calls, later, now, monotonic } = parts
  let sessions: PlayerSessions | undefined
  let days: GameDays | undefined
  /** Whether the players of the game are known: not before its first answer, and not while it is offline. */
  let isKnown = false
  let nextSample = monotonic()
  let isAsking = false

  const onEvent = (event: GameEvent) => {
    // Changes from before, or while the game was offline, are read from the game.
    if (!isKnown || sessions === undefined || days === undefined) return
    if (event.type === 'day_started') {
      days.began(event)
      days.there(sessions.present())
    } else if (event.type === 'player_joined') {
      sessions.joined(event.player)
      days.there([event.player])
    } else if (event.type === 'player_left') sessions.left(event.player)
  }
  const openSessions = async () => {
    // The clock may have been set back since the newest session began.
    const nextId = idsFrom(now, await calls.newestSession())
    return playerSessions({ calls: later, open: await calls.openSessions(), nextId, now, monotonic })
  }
  /** Reads what had not ended when farmgate stopped, then the players and the day. */
  const look = async () => {
    sessions ??= await openSessions()
    days ??= gameDays({ calls: later, open: await calls.openDay(), now })
    const { players } = await game.players()
    days.seen(await game.status())
    sessions.here(players)
    days.there(sessions.present())
    isKnown = true
  }
  const sample = async (isAway: boolean) => {
    const due = monotonic() + sampleEvery
    const at = Math.floor(now() / minute) * minute
    const [used, measured] = await Promise.all([
      resources(),
      isAway ? {} : takeSample(game, monotonic).catch(() => ({})),
    ])
    const measures = { ...used, ...measured }
    // Without any, the first answer of a game that is back makes the next sample.
    if (Object.keys(measures).length === 0) return
    nextSample = due
    later.sampled({ at, ...measures })
  }
  const ask = async (isAway: boolean) => {
    if (!isAway && !isKnown) await look()
    if (monotonic() < nextSample) return
    if (!isAway) sessions?.seen()
    await sample(isAway)
  }

  const unsubscribe = game.subscribe(onEvent)
  return {
    /** Call this every second. */
    async tick() {
      sessions?.check()
      const { awaySince } = game.health()
      if (awaySince !== undefined) {
        isKnown = false
        sessions?.away(awaySince)
      }
      if (isAsking) return
      isAsking = true
      // A game, or a thread of the records, that does not answer is asked again in a second.
      await ask(awaySince !== undefined).catch(() => undefined)
      isAsking = false
    },
    /** Records the current players, so that a restart within two minutes ends no session. */
    close() {
      unsubscribe()
      if (isKnown) sessions?.seen()
    },
  }
}
