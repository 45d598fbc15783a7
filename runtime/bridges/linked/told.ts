/** What the edge knows of the game without asking: what it was told last, and what follows from that. */
import type { GameHealth } from '../../../handlers/game-bridge.ts'
import type { GameEvent } from '../../../handlers/game-event.ts'
import { statusEvents } from '../../../handlers/game-event.ts'
import { neverSeen, type Status } from '../../../handlers/game-records.ts'
import type { ToldHealth } from '../../link/protocol.ts'

/** Kept where it outlives the object's memory. */
export interface ToldStore {
  told(): { readonly status?: Status; readonly health?: ToldHealth; readonly at: number }
  keepStatus(status: Status, at: number): void
  keepHealth(health: ToldHealth, at: number): void
}

const unknownHealth: ToldHealth = { gameAvailable: false, isFrozen: false, tickCount: 0, pace: 60 }

export class Told {
  readonly #store: ToldStore
  readonly #now: () => number
  #status: Status
  #away: Status | undefined
  #health: ToldHealth
  /** When the game was last heard of, and when its ticks were counted; milliseconds. */
  #at: number
  #countedAt: number
  /** The status as listeners know it. */
  #shown: Status

  /** @param isUp the link is up: false after a start without one. @param now milliseconds since 1970 */
  constructor(store: ToldStore, isUp: boolean, now: () => number) {
    this.#store = store
    this.#now = now
    const { status = neverSeen, health = unknownHealth, at } = store.told()
    this.#status = status
    this.#health = health
    this.#at = at
    this.#countedAt = at
    this.#shown = this.status(isUp)
  }

  /** The same object for as long as nothing changes. */
  status(isUp: boolean): Status {
    if (isUp || !this.#status.isOnline) return this.#status
    this.#away ??= { ...this.#status, isOnline: false }
    return this.#away
  }

  /** @returns what happened, in the words of events */
  tellStatus(status: Status): readonly GameEvent[] {
    this.#at = this.#now()
    this.#status = status
    this.#away = undefined
    this.#store.keepStatus(status, this.#at)
    return this.show(true)
  }

  /** @returns what happened since listeners were told last */
  show(isUp: boolean): readonly GameEvent[] {
    const before = this.#shown
    this.#shown = this.status(isUp)
    return before === this.#shown ? [] : statusEvents(before, this.#shown)
  }

  tellHealth(health: ToldHealth): void {
    this.#at = this.#now()
    this.#countedAt = this.#at
    this.#health = health
    this.#store.keepHealth(health, this.#at)
  }

  /** The game answered. */
  seen(): void {
    this.#at = this.#now()
  }

  /** Ticks go on at the pace that was told: the origin tells anew when that is wrong. */
  health(isUp: boolean, pendingActions: number): GameHealth {
    const { gameAvailable, isFrozen, tickCount, lastTickMs, pace } = this.#health
    const since = Math.max(0, this.#now() - this.#countedAt)
    const isTicking = isUp && gameAvailable && !isFrozen
    const lastTick = lastTickMs === undefined ? {} : { lastTickMs: lastTickMs + (isTicking ? 0 : since) }
    return {
      gameAvailable: isUp && gameAvailable,
      isFrozen: isUp && isFrozen,
      tickCount: Math.floor(tickCount + (isTicking ? (since * pace) / 1000 : 0)),
      pendingActions,
      ...lastTick,
      ...(this.#at > 0 && { snapshotAt: this.#at }),
    }
  }
}
