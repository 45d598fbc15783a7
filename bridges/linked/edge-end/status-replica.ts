/** The status and health of the game at the edge: the last ones from the farm, and what follows from them. */
import type { KnownCause } from '../../../handlers/cause.ts'
import type { FarmUpkeep } from '../../../handlers/farm-upkeep.ts'
import type { GameHealth } from '../../../handlers/game-bridge.ts'
import type { LiveEvent } from '../../../handlers/game-event.ts'
import { statusEvents } from '../../../handlers/game-event.ts'
import { neverSeen, type Status } from '../../../handlers/game-records.ts'
import type { RecordsState } from '../../../handlers/records.ts'
import { statusShower } from '../../shown-status.ts'
import type { FarmHealth } from '../protocol.ts'

/** Stores the last status and health, so that they survive when the object is unloaded. */
export interface StatusReplicaStore {
  /**
   * `at`: when the farm last sent something over the link; `healthAt`: when it sent the health. Milliseconds since
   * 1970, 0 for never.
   */
  stored(): {
    readonly status?: Status
    readonly health?: FarmHealth
    readonly at: number
    readonly healthAt: number
  }
  keepStatus(status: Status, at: number): void
  keepHealth(health: FarmHealth, at: number): void
  /** Writes a status that `keepStatus` has not written yet. */
  flush(): void
}

const unknownHealth: FarmHealth = {
  gameAvailable: false,
  isFrozen: false,
  tickCount: 0,
  pace: 60,
  records: 'failed',
}

export class StatusReplica {
  readonly #store: StatusReplicaStore
  readonly #now: () => number
  readonly #startedAt: number
  readonly #showStatus = statusShower()
  #status: Status
  /** When the game was last known to be well, by this machine's clock; undefined before that. */
  #wellAt: number | undefined
  #health: FarmHealth
  /** When the farm last sent something, and when it sent the health; milliseconds since 1970, 0 for never. */
  #at: number
  #healthAt: number
  /** The status of the last events. */
  #shown: Status

  /** @param isUp whether there is a link. @param now milliseconds since 1970 */
  constructor(store: StatusReplicaStore, isUp: boolean, now: () => number) {
    this.#store = store
    this.#now = now
    this.#startedAt = now()
    const { status = neverSeen, health = unknownHealth, at, healthAt } = store.stored()
    this.#status = status
    this.#health = health
    this.#at = at
    this.#healthAt = healthAt
    this.#readWellAt()
    this.#shown = this.status(isUp ? at : undefined)
  }

  /** @param lastSeenAt when the farm last sent a frame or heartbeat, milliseconds since 1970; undefined without a link */
  status(lastSeenAt: number | undefined): Status {
    if (lastSeenAt !== undefined) this.#seen(lastSeenAt)
    return this.#showStatus(
      this.#status,
      this.#wellAt,
      this.#awaySince(lastSeenAt !== undefined) !== undefined,
    )
  }

  /** Takes a status from the farm. @returns the resulting events */
  setStatus(status: Status): readonly LiveEvent[] {
    this.#at = this.#now()
    this.#status = status
    this.#readWellAt()
    this.#store.keepStatus(status, this.#at)
    return this.show(this.#at)
  }

  /** Takes a health from the farm. @returns the resulting events */
  setHealth(health: FarmHealth): readonly LiveEvent[] {
    this.#at = this.#now()
    this.#healthAt = this.#at
    this.#health = health
    this.#store.keepHealth(health, this.#at)
    return this.show(this.#at)
  }

  /**
   * The link is lost. Stores the status at once, because the object may be unloaded from now on.
   * @param lastSeenAt when the farm last sent a frame or heartbeat, milliseconds since 1970
   * @returns the resulting events
   */
  linkLost(lastSeenAt: number): readonly LiveEvent[] {
    this.#at = Math.max(this.#at, lastSeenAt)
    this.#seen(lastSeenAt)
    if (this.#wellAt !== undefined)
      this.#status = { ...this.#status, lastUpdated: new Date(this.#wellAt).toISOString() }
    this.#store.keepStatus(this.#status, this.#at)
    this.#store.flush()
    return this.show(undefined)
  }

  /** Computes the status again. @param lastSeenAt as for `status` @returns the events since the last computation */
  show(lastSeenAt: number | undefined): readonly LiveEvent[] {
    const before = this.#shown
    this.#shown = this.status(lastSeenAt)
    return statusEvents(before, this.#shown)
  }

  /** Call this when the game answered a call, and when a newer link replaces an open one. */
  seen(): void {
    this.#at = this.#now()
  }

  /**
   * The tick count continues at the pace that the farm sent; the farm sends a new health when the count would be
   * wrong.
   */
  health(isUp: boolean, pendingActions: number): GameHealth {
    const { gameAvailable, isFrozen, isStale, tickCount, lastTickMs, pace, connections } = this.#health
    const chatLostAt = this.#chatLostAt(isUp)
    const awaySince = this.#awaySince(isUp)
    const cause = this.#cause(isUp)
    const since = Math.max(0, this.#now() - this.#healthAt)
    const isTicking = isUp && gameAvailable && !isFrozen
    const lastTick = lastTickMs === undefined ? {} : { lastTickMs: lastTickMs + (isTicking ? 0 : since) }
    return {
      gameAvailable: isUp && gameAvailable,
      ...(isUp && gameAvailable && !this.#status.isOnline && { isWithoutFarm: true as const }),
      ...(awaySince !== undefined && { awaySince }),
      ...(chatLostAt !== undefined && { chatLostAt }),
      isFrozen: isUp && isFrozen,
      tickCount: Math.min(
        Math.floor(tickCount + (isTicking ? (since * pace) / 1000 : 0)),
        Number.MAX_SAFE_INTEGER,
      ),
      pendingActions,
      ...lastTick,
      ...(isUp && gameAvailable && isStale && { isStale }),
      ...(isUp && gameAvailable && connections !== undefined && { connections }),
      ...(this.#at > 0 && { snapshotAt: this.#at }),
      ...(cause !== undefined && { cause }),
    }
  }

  /** As the farm sent it last; undefined where nothing is known of it. */
  upkeep(): FarmUpkeep | undefined {
    return this.#health.upkeep
  }

  /** What the farm reported of its records; nothing can be recorded without a link. */
  recordsState(isUp: boolean): RecordsState {
    return isUp ? this.#health.records : 'failed'
  }

  /**
   * The farm sends a health when its game is no longer well. Until then each frame or heartbeat shows that it is well.
   */
  #seen(at: number): void {
    const { gameAvailable, isFrozen } = this.#health
    if (gameAvailable && !isFrozen && this.#status.isOnline) this.#wellAt = Math.max(this.#wellAt ?? 0, at)
  }

  /** Takes the time from the status, but at most now: the clock of the farm's machine may be ahead. */
  #readWellAt(): void {
    const at = Date.parse(this.#status.lastUpdated)
    // The game was never seen, or the farm sent a time that is not a valid `Date`, such as one of `+05`.
    if (Number.isNaN(at)) return
    this.#wellAt = Math.max(this.#wellAt ?? 0, Math.min(at, this.#now()))
  }

  /** Since when the chat of the game, or the link that carries it, is lost; undefined while neither is. */
  #chatLostAt(isUp: boolean): number | undefined {
    const { chatLostAt } = this.#health
    // The clock of the farm's machine may be ahead.
    const atGame = chatLostAt === undefined ? undefined : Math.min(chatLostAt, this.#healthAt)
    return isUp || this.#at === 0 ? atGame : Math.min(atGame ?? this.#at, this.#at)
  }

  /** As the farm sent it last, unless its link is down. */
  #cause(isUp: boolean): KnownCause | undefined {
    if (!isUp) return { code: 'link_down', since: this.#at > 0 ? this.#at : this.#startedAt }
    const { cause } = this.#health
    // The clock of the farm's machine may be ahead.
    return cause && { ...cause, since: Math.min(cause.since, this.#healthAt) }
  }

  /** Since when the game is offline, because the farm says so or the link is down; undefined while it is online. */
  #awaySince(isUp: boolean): number | undefined {
    const { awaySince } = this.#health
    if (awaySince !== undefined) return Math.min(awaySince, this.#healthAt)
    if (isUp) return undefined
    return this.#at > 0 ? this.#at : this.#startedAt
  }
}
