/**
 * Which events, statuses and healths the farm sends to the edge without a call (bridges/linked/README.md, "What the farm
 * sends without a call"). As few as possible, so that a change of the game's clock alone does not wake the hibernating
 * Durable Object. Every event of subscribed topics is sent. Otherwise a status is sent when more than the clock
 * changed, and every change for two minutes after a client read the status.
 */
import { type Followed, topicOf } from '../../../handlers/chat/messages.ts'
import type { FarmUpkeep } from '../../../handlers/farm-upkeep.ts'
import type { GameBridge, GameHealth } from '../../../handlers/game-bridge.ts'
import { changedBeyondClock, type LiveEvent } from '../../../handlers/game-event.ts'
import type { Status } from '../../../handlers/game-records.ts'
import type { Records } from '../../../handlers/records.ts'
import { stringifyJson } from '../../../lib/json.ts'
import { type FarmHealth, frameText } from '../protocol.ts'

/** Milliseconds for which every change of the status is sent after a look or a call. */
const lookFor = 120_000
/** Ticks per second of a game at normal speed; used until the pace was measured. */
const usualPace = 60
/** Seconds by which the edge's count of ticks may differ from the game's before a new health is sent. */
const tolerance = 10

export interface Senders {
  /** Sends a frame that must not be lost; it waits in the socket, or the link is closed. */
  send(text: string): void
  /** Sends a frame that a later one replaces. @returns false when too many bytes wait in the socket: it was not sent */
  sendIfQuick(text: string): boolean
}

/** @param now milliseconds, never running backwards @param upkeep undefined where nothing is known of it */
export function statusFeed(
  game: Pick<GameBridge, 'health'>,
  records: Pick<Records, 'state'>,
  status: Status,
  { send, sendIfQuick }: Senders,
  now: () => number,
  upkeep: () => FarmUpkeep | undefined = () => undefined,
) {
  const healthToSend = (
    {
      gameAvailable,
      awaySince,
      chatLostAt,
      isFrozen,
      isStale,
      lastTickMs,
      tickCount,
      connections,
      cause,
    }: GameHealth,
    pace: number,
  ): FarmHealth => {
    const known = upkeep()
    return {
      gameAvailable,
      isFrozen,
      tickCount,
      pace,
      records: records.state(),
      ...(isStale && { isStale }),
      ...(awaySince !== undefined && { awaySince }),
      ...(chatLostAt !== undefined && { chatLostAt }),
      ...(lastTickMs !== undefined && { lastTickMs }),
      ...(connections !== undefined && { connections }),
      ...(cause !== undefined && { cause }),
      ...(known !== undefined && { upkeep: known }),
    }
  }
  let watched: ReadonlySet<Followed> = new Set()
  let lookedAt = Number.NEGATIVE_INFINITY
  let current = status
  let sent = status
  let health: FarmHealth = healthToSend(game.health(), usualPace)
  let healthAt = now()

  const sendStatus = () => {
    if (
      current !== sent &&
      sendIfQuick(frameText({ type: 'event', event: { type: 'status_changed', status: current } }))
    )
      sent = current
  }
  const isLookedAt = () => now() - lookedAt < lookFor
  const isDue = () => watched.has('status') || isLookedAt() || changedBeyondClock(sent, current)

  const checkHealth = () => {
    const actual = game.health()
    const seconds = (now() - healthAt) / 1000
    const ticksAtEdge = health.tickCount + (isTicking(health) ? seconds * health.pace : 0)
    const isOff =
      actual.gameAvailable !== health.gameAvailable ||
      isOffline(actual) !== isOffline(health) ||
      actual.chatLostAt !== health.chatLostAt ||
      actual.isFrozen !== health.isFrozen ||
      actual.isStale !== health.isStale ||
      actual.cause?.code !== health.cause?.code ||
      stringifyJson(actual.connections ?? {}) !== stringifyJson(health.connections ?? {}) ||
      stringifyJson(upkeep() ?? {}) !== stringifyJson(health.upkeep ?? {}) ||
      records.state() !== health.records ||
      (isTicking(actual) && Math.abs(actual.tickCount - ticksAtEdge) > tolerance * usualPace)
    if (!isOff) return
    const pace =
      isTicking(health) && seconds > tolerance
        ? Math.max(0, (actual.tickCount - health.tickCount) / seconds)
        : health.pace
    const next = healthToSend(actual, pace)
    if (!sendIfQuick(frameText({ type: 'health', health: next }))) return
    health = next
    healthAt = now()
  }

  return {
    status,
    health,
    /** Sets the topics of which every event is sent. */
    watch(topics: readonly Followed[]) {
      watched = new Set(topics)
    },
    /** A client of the edge reads the status: sends it if it has changed, and every change for a while. */
    look() {
      lookedAt = now()
      sendStatus()
    },
    event(event: LiveEvent) {
      switch (event.type) {
        case 'status_changed':
          current = event.status
          // The edge judges by the health whether the game is offline. When the game goes offline the health is sent
          // before the status, and when it comes back after it, so the edge never shows the status of an offline game
          // as current.
          if (isOffline(game.health())) checkHealth()
          if (isDue()) sendStatus()
          checkHealth()
          return
        case 'day_started':
        case 'season_started':
        case 'ready_changed':
          // The edge derives these from the status.
          return
        default:
          if (watched.has(topicOf(event))) send(frameText({ type: 'event', event }))
      }
    },
    /** Sends the health if the edge's would be wrong; call this every second. */
    check() {
      if (isDue()) sendStatus()
      checkHealth()
    },
  }
}

const isOffline = ({ awaySince }: Pick<FarmHealth, 'awaySince'>) => awaySince !== undefined

const isTicking = ({ gameAvailable, isFrozen }: Pick<GameHealth, 'gameAvailable' | 'isFrozen'>) =>
  gameAvailable && !isFrozen
