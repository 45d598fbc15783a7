/** What the edge knows of the game without asking: what it was told last, and what follows from that. */
import type { GameHealth } from '../../handlers/game-bridge.ts'
import type { GameEvent } from '../../handlers/game-event.ts'
import { statusEvents } from '../../handlers/game-event.ts'
import { neverSeen, type Status } from '../../handlers/game-records.ts'
import { statusShower } from '../shown-status.ts'
import type { FarmHealth } from './protocol.ts'

/** Kept where it outlives the object's memory. */
export interface StatusReplicaStore {
  /** `at`: when the farm was last heard of; `healthAt`: when its health was told. Milliseconds, 0 for never. */
  told(): {
    readonly status?: Status
    readonly health?: FarmHealth
    readonly at: number
    readonly healthAt: number
  }
  keepStatus(status: Status, at: number): void
  keepHealth(health: FarmHealth, at: number): void
  /** Writes what `keepStatus` held back. */
  flush(): void
}

const unknownHealth: FarmHealth = { gameAvailable: false, isFrozen: false, tickCount: 0, pace: 60 }

export class StatusReplica {
  readonly #store: StatusReplicaStore
  readonly #now: () => number
  readonly #startedAt: number
  readonly #showStatus = statusShower()
  #status: Status
  /** When the game was last heard to be well, by this machine's clock; undefined before it ever was. */
  #wellAt: number | undefined
  #health: FarmHealth
  /** When the game was last heard of, and when its health was told; milliseconds. */
  #at: number
  #healthAt: number
  /** The status as listeners know it. */
  #shown: Status

  /** @param isUp the link is up: false after a start without one. @param now milliseconds since 1970 */
  constructor(store: StatusReplicaStore, isUp: boolean, now: () => number) {
    this.#store = store
    this.#now = now
    this.#startedAt = now()
    const { status = neverSeen, health = unknownHealth, at, healthAt } = store.told()
    this.#status = status
    this.#health = health
    this.#at = at
    this.#healthAt = healthAt
    this.#readWellAt()
    this.#shown = this.status(isUp ? at : undefined)
  }

  /** @param heardAt when the farm was last heard on the link, its heartbeats too; undefined while it is down */
  status(heardAt: number | undefined): Status {
    if (heardAt !== undefined) this.#heard(heardAt)
    return this.#showStatus(this.#status, this.#wellAt, this.#awaySince(heardAt !== undefined) !== undefined)
  }

  /** @returns what happened, in the words of events */
  tellStatus(status: Status): readonly GameEvent[] {
    this.#at = this.#now()
    this.#status = status
    this.#readWellAt()
    this.#store.keepStatus(status, this.#at)
    return this.show(this.#at)
  }

  /** @returns what happened, in the words of events */
  tellHealth(health: FarmHealth): readonly GameEvent[] {
    this.#at = this.#now()
    this.#healthAt = this.#at
    this.#health = health
    this.#store.keepHealth(health, this.#at)
    return this.show(this.#at)
  }

  /**
   * The link is down. What is known is kept at once: the object may sleep, and forget, from now on.
   * @param heardAt when the farm was last heard on it, milliseconds since 1970
   * @returns what happened, in the words of events
   */
  linkLost(heardAt: number): readonly GameEvent[] {
    this.#at = Math.max(this.#at, heardAt)
    this.#heard(heardAt)
    if (this.#wellAt !== undefined)
      this.#status = { ...this.#status, lastUpdated: new Date(this.#wellAt).toISOString() }
    this.#store.keepStatus(this.#status, this.#at)
    this.#store.flush()
    return this.show(undefined)
  }

  /** @returns what happened since listeners were told last */
  show(heardAt: number | undefined): readonly GameEvent[] {
    const before = this.#shown
    this.#shown = this.status(heardAt)
    return before === this.#shown ? [] : statusEvents(before, this.#shown)
  }

  /** The game answered, or its farm was heard on the link. */
  seen(): void {
    this.#at = this.#now()
  }

  /** Ticks go on at the pace that was told: the farm tells anew when that is wrong. */
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

  /** The farm's machine tells when its game is not well: as long as it is heard and has not told, all is. */
  #heard(at: number): void {
    const { gameAvailable, isFrozen } = this.#health
    if (gameAvailable && !isFrozen && this.#status.isOnline) this.#wellAt = Math.max(this.#wellAt ?? 0, at)
  }

  /** That machine's clock may be ahead of this one. */
  #readWellAt(): void {
    const { lastUpdated } = this.#status
    if (lastUpdated === '') return
    this.#wellAt = Math.max(this.#wellAt ?? 0, Math.min(Date.parse(lastUpdated), this.#now()))
  }

  /** When the game was last heard, while it is away from the farm's own machine or the link is down. */
  #awaySince(isUp: boolean): number | undefined {
    const { awaySince } = this.#health
    if (awaySince !== undefined) return Math.min(awaySince, this.#healthAt)
    if (isUp) return undefined
    return this.#at > 0 ? this.#at : this.#startedAt
  }
}
