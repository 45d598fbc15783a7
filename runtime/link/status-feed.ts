/**
 * What the farm tells the edge unasked (docs/link.md, "What is told unasked"): only as much as is needed, so that
 * a clock that merely goes on wakes no sleeping object.
 * Topics that clients watch are told in full; otherwise only a status in which more than the clock changed,
 * but for two minutes after somebody looked every change.
 */
import type { Topic } from '../../handlers/chat/messages.ts'
import { topicOf } from '../../handlers/chat/messages.ts'
import type { GameBridge, GameHealth } from '../../handlers/game-bridge.ts'
import { changedBeyondClock, type GameEvent } from '../../handlers/game-event.ts'
import type { Status } from '../../handlers/game-records.ts'
import { type FarmHealth, frameText } from './protocol.ts'

/** Milliseconds for which every change of the status is told after a look or a call. */
const lookFor = 120_000
/** The game's own pace, until it was seen otherwise. */
const usualPace = 60
/** Seconds that the edge's reckoning of ticks may be off. */
const tolerance = 10

export interface StatusFeed {
  readonly status: Status
  readonly health: FarmHealth
  watch(topics: readonly Topic[]): void
  /** The edge looks: what it was not told so far comes now. */
  look(): void
  event(event: Exclude<GameEvent, { type: 'chat' }>): void
  /** Looks whether the health is still what the edge thinks; to be called every second. */
  check(): void
}

export interface Senders {
  /** For what happens once: kept until it goes out, or the link is given up. */
  send(text: string): void
  /** For what the next of its kind replaces. @returns false when the link is too slow just now */
  sendIfQuick(text: string): boolean
}

/** @param now milliseconds, never running backwards */
export function statusFeed(
  game: Pick<GameBridge, 'health'>,
  status: Status,
  { send, sendIfQuick }: Senders,
  now: () => number,
): StatusFeed {
  const healthToSend = (
    { gameAvailable, awaySince, isFrozen, lastTickMs, tickCount }: GameHealth,
    pace: number,
  ): FarmHealth => ({
    gameAvailable,
    isFrozen,
    tickCount,
    pace,
    ...(awaySince !== undefined && { awaySince }),
    ...(lastTickMs !== undefined && { lastTickMs }),
  })
  let watched: ReadonlySet<Topic> = new Set()
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
    const reckoned = health.tickCount + (ticks(health) ? seconds * health.pace : 0)
    const isOff =
      actual.gameAvailable !== health.gameAvailable ||
      isAway(actual) !== isAway(health) ||
      actual.isFrozen !== health.isFrozen ||
      (ticks(actual) && Math.abs(actual.tickCount - reckoned) > tolerance * usualPace)
    if (!isOff) return
    const pace =
      ticks(health) && seconds > tolerance
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
    watch(topics) {
      watched = new Set(topics)
    },
    look() {
      const fresh = !isLookedAt()
      lookedAt = now()
      if (fresh) sendStatus()
    },
    event(event) {
      switch (event.type) {
        case 'status_changed':
          current = event.status
          // While the health says that the game is away, the edge shows no status as if it were there:
          // so the health goes first when the game goes, and last when it comes back.
          if (isAway(game.health())) checkHealth()
          if (isDue()) sendStatus()
          checkHealth()
          return
        case 'day_started':
        case 'season_started':
        case 'ready_changed':
          // The edge sees it in the status.
          return
        default:
          if (watched.has(topicOf(event))) send(frameText({ type: 'event', event }))
      }
    },
    check() {
      if (isDue()) sendStatus()
      checkHealth()
    },
  }
}

const isAway = ({ awaySince }: Pick<FarmHealth, 'awaySince'>) => awaySince !== undefined

const ticks = ({ gameAvailable, isFrozen }: Pick<GameHealth, 'gameAvailable' | 'isFrozen'>) =>
  gameAvailable && !isFrozen
