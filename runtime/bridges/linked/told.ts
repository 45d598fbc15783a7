/** What the edge knows of the game without asking: what it was told last, and what follows from that. */
import type { GameHealth } from '../../../handlers/game-bridge.ts'
import type { GameEvent } from '../../../handlers/game-event.ts'
import { statusEvents } from '../../../handlers/game-event.ts'
import { neverSeen, type Status } from '../../../handlers/game-records.ts'
import type { ToldHealth } from '../../link/protocol.ts'

/** Kept where it outlives the object's memory. */
export interface ToldStore {
  /** `at`: when the farm was last heard of; `healthAt`: when its health was told. Milliseconds, 0 for never. */
  told(): {
    readonly status?: Status
    readonly health?: ToldHealth
    readonly at: number
    readonly healthAt: number
  }
  keepStatus(status: Status, at: number): void
  keepHealth(health: ToldHealth, at: number): void
  /** Writes what `keepStatus` held back. */
  flush(): void
}

const unknownHealth: ToldHealth = { gameAvailable: false, isFrozen: false, tickCount: 0, pace: 60 }

export class Told {
  readonly #store: ToldStore
  readonly #now: () => number
  readonly #startedAt: number
  #status: Status
  #away: Status | undefined
  #health: ToldHealth
  /** When the game was last heard of, and when its health was told; milliseconds. */
  #at: number
  #healthAt: number
  /** The status as listeners know it. */
  #shown: Status

  /** @param isUp the link is up: false after a start without one. @param now milliseconds since 1970 */
  constructor(store: ToldStore, isUp: boolean, now: () => number) {
    this.#store = store
    this.#now = now
    this.#startedAt = now()
    const { status = neverSeen, health = unknownHealth, at, healthAt } = store.told()
    this.#status = status
    this.#health = health
    this.#at = at
    this.#healthAt = healthAt
    this.#shown = this.status(isUp)
  }

  /** The same object for as long as nothing changes. */
  status(isUp: boolean): Status {
    if (this.#awaySince(isUp) === undefined || !this.#status.isOnline) return this.#status
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

  /** @returns what happened, in the words of events */
  tellHealth(health: ToldHealth): readonly GameEvent[] {
    this.#at = this.#now()
    this.#healthAt = this.#at
    this.#health = health
    this.#store.keepHealth(health, this.#at)
    return this.show(true)
  }

  /**
   * The link is down. What is known is kept at once: the object may sleep, and forget, from now on.
   * @param heardAt when the farm was last heard on it, milliseconds since 1970
   * @returns what happened, in the words of events
   */
  linkLost(heardAt: number): readonly GameEvent[] {
    this.#at = Math.max(this.#at, heardAt)
    this.#store.keepStatus(this.#status, this.#at)
    this.#store.flush()
    return this.show(false)
  }

  /** @returns what happened since listeners were told last */
  show(isUp: boolean): readonly GameEvent[] {
    const before = this.#shown
    this.#shown = this.status(isUp)
    return before === this.#shown ? [] : statusEvents(before, this.#shown)
  }

  /** The game answered, or its farm was heard on the link. */
  seen(): void {
    this.#at = this.#now()
  }

  /** Ticks go on at the pace that was told: the origin tells anew when that is wrong. */
  health(isUp: boolean, pendingActions: number): GameHealth {
    const { gameAvailable, isFrozen, tickCount, lastTickMs, pace } = this.#health
    const awaySince = this.#awaySince(isUp)
    const since = Math.max(0, this.#now() - this.#healthAt)
    const isTicking = isUp && gameAvailable && !isFrozen
    const lastTick = lastTickMs === undefined ? {} : { lastTickMs: lastTickMs + (isTicking ? 0 : since) }
    return {
      gameAvailable: isUp && gameAvailable,
      ...(awaySince !== undefined && { awaySince }),
      isFrozen: isUp && isFrozen,
      tickCount: Math.floor(tickCount + (isTicking ? (since * pace) / 1000 : 0)),
      pendingActions,
      ...lastTick,
      ...(this.#at > 0 && { snapshotAt: this.#at }),
    }
  }

  /** When the game was last heard, while it is away from the farm's own machine or the link is down. */
  #awaySince(isUp: boolean): number | undefined {
    const { awaySince } = this.#health
    // That machine's clock may be ahead of this one.
    if (awaySince !== undefined) return Math.min(awaySince, this.#healthAt)
    if (isUp) return undefined
    return this.#at > 0 ? this.#at : this.#startedAt
  }
}
