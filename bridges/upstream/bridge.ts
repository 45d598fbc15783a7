/** The upstream bridge: the port over a dedicated server's own HTTP API and `/ws` (docs/api.md). */
import { FarmError, noSettingsFile } from '../../handlers/farm-error.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { cabinEvents, type GameEvent, playerEvents } from '../../handlers/game-event.ts'
import { neverSeen } from '../../handlers/game-records.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { hostAndPort } from '../../lib/failure-cause.ts'
import type { Log } from '../../lib/log.ts'
import { statusShower } from '../shown-status.ts'
import { chatSocket } from './chat-socket.ts'
import { gameHttp } from './game-http.ts'
import { gameReads } from './game-reads.ts'
import { gameWatch } from './game-watch.ts'
import { gameWrites } from './game-writes.ts'
import type { KeptRead } from './kept-read.ts'
import { lastStatus } from './last-status.ts'
import { defaultLimits, type Limits } from './limits.ts'
import { presence as createPresence } from './presence.ts'
import { obeyingRetryAfter } from './retry-after.ts'

export interface UpstreamOptions {
  /** The game's HTTP address, a path prefix included. */
  readonly url: string
  /** The game's own key; empty for none. */
  readonly key: string
  readonly log: Log
  /** Called when a call to the game ends. @param seconds until its answer, or until it failed */
  readonly callEnded?: (seconds: number) => void
  readonly clock?: Clock
  /** From 0 to 1, for the jitter of the back-off. */
  readonly random?: () => number
  readonly limits?: Partial<Limits>
}

/**
 * Connects to a game server. It starts at once and keeps trying until `close`, whether or not the game is reachable.
 * @example upstreamBridge({ url: 'http://game:8080', key: '', log })
 */
export function upstreamBridge(options: UpstreamOptions): GameBridge {
  const { key, log, clock = systemClock, random = Math.random } = options
  const url = new URL(options.url)
  const limits: Limits = { ...defaultLimits, ...options.limits }
  const listeners = new Set<(event: GameEvent) => void>()
  const startedAt = clock.now()
  let isClosed = false

  function emit(event: GameEvent) {
    for (const listener of listeners) {
      try {
        listener(event)
      } catch (error) {
        log.error({ error: String(error), event: event.type }, 'a listener failed')
      }
    }
  }

  /** Counts how often the first listener subscribed, so that earlier changes are not emitted as events. */
  let audience = 0
  /** @returns a function that emits the events of the changes between two answers of a read */
  function emitChanges<T>(changes: (before: T, after: T) => readonly GameEvent[]) {
    let before: { readonly value: T; readonly audience: number } | undefined
    return (value: T) => {
      const events =
        before?.audience === audience && before.value !== value ? changes(before.value, value) : []
      before = { value, audience }
      for (const event of events) emit(event)
    }
  }

  const address = hostAndPort(url)
  const presence = createPresence({ clock, log, address, hasKey: key !== '', limits })
  const http = obeyingRetryAfter(gameHttp({ url, key, clock, ended: options.callEnded }), {
    clock,
    log,
    address,
  })
  /** Whether the game's last status had a loaded farm. */
  let isOnline: boolean | undefined
  /** The name of the farm in the game's last status. */
  let playedName: string | undefined
  /** When the game last answered with a loaded farm and a running loop; milliseconds since 1970. */
  let wellAt: number | undefined
  const reads = gameReads({
    http,
    presence,
    clock,
    limits,
    onStatus(status, health) {
      if (status.isOnline && health?.isFrozen !== true) wellAt = clock.now()
      const isLoaded = status.isOnline && isOnline === false
      isOnline = status.isOnline
      if (isLoaded) chat.tryNow()
      // Kept answers are of the farm that was played before.
      if (playedName !== undefined && playedName !== status.farmName) reads.dropAll()
      playedName = status.farmName
    },
    onPlayers: emitChanges(playerEvents),
    onCabins: emitChanges(cabinEvents),
    onRendering: emitChanges((before, { fps }) =>
      before.fps === fps ? [] : [{ type: 'rendering_changed', fps }],
    ),
  })
  const chat = chatSocket({
    url,
    key,
    clock,
    random,
    log,
    limits,
    onLine: (line) => emit({ type: 'chat', ...line }),
    isKeyRefused: () =>
      reads.players.get().then(
        () => false,
        () => presence.isKeyRejected,
      ),
    isGameOnline: () => isOnline === true && presence.isAvailable,
  })
  presence.onBack(chat.tryNow)
  const isOffline = () => isClosed || presence.isOffline
  /** The read, or its last answer until the game counts as offline. @throws {FarmError} */
  async function untilOffline<T>(read: KeptRead<T>): Promise<T> {
    try {
      return await read.get()
    } catch (error) {
      if (!isUnanswered(error)) throw error
      if (isOffline()) throw new FarmError({ kind: 'unavailable' })
      const { last } = read
      if (last === undefined || clock.monotonic() - last.at >= limits.offlineAfter) throw error
      return last.value
    }
  }
  const gameStatus = lastStatus()
  const shown = statusShower()
  const shownStatus = () => {
    const { last } = reads.status
    return last === undefined ? neverSeen : shown(gameStatus(last.value), wellAt, isOffline())
  }
  const status = () => reads.status.get().then(shownStatus, shownStatus)
  const watch = gameWatch({
    reads,
    status,
    presence,
    clock,
    limits,
    hasListeners: () => listeners.size > 0,
    emit,
  })
  const writes = gameWrites({ http, presence, limits, reads, changed: () => watch.pollAll() })

  return {
    health() {
      const { snapshotAt } = presence
      const isAvailable = presence.isAvailable && !isClosed
      const answeredAt = presence.answeredAt ?? startedAt
      const cause = presence.cause(answeredAt)
      const { last } = reads.health
      const lastTickMs = last?.value.lastTickMs
      // While the game is unreachable, its last tick is the last one that was seen.
      const sinceLastTick = isAvailable || last === undefined ? 0 : Math.round(clock.monotonic() - last.at)
      return {
        gameAvailable: isAvailable,
        ...(isAvailable && reads.status.last?.value.isOnline !== true && { isWithoutFarm: true as const }),
        ...(isOffline() && { awaySince: answeredAt }),
        ...(chat.lostAt !== undefined && { chatLostAt: chat.lostAt }),
        ...(chat.openSince !== undefined && { chatOpenSince: chat.openSince }),
        isFrozen: isAvailable && (last?.value.isFrozen ?? false),
        ...(lastTickMs !== undefined && { lastTickMs: lastTickMs + sinceLastTick }),
        tickCount: last?.value.tickCount ?? 0,
        // The game counts the calls that wait for its own thread, including those of other programs.
        pendingActions: Math.max(isAvailable ? (last?.value.pendingActions ?? 0) : 0, http.writesUnderWay),
        ...(snapshotAt !== undefined && { snapshotAt }),
        ...(isAvailable && presence.isStale && { isStale: true as const }),
        ...(isAvailable && last !== undefined && { connections: last.value.connections }),
        ...(cause !== undefined && { cause }),
      }
    },
    status(freshness) {
      if (freshness === 'now') reads.status.drop()
      return status()
    },
    players(freshness) {
      if (freshness === undefined) return untilOffline(reads.players)
      reads.players.drop()
      return reads.players.get()
    },
    farmhands: reads.farmhands.get,
    cabins: reads.cabins.get,
    settings: reads.settings.get,
    stats: reads.stats.get,
    screenshot: reads.screenshot.get,
    passwordProtection: reads.passwordProtection.get,
    inviteCode: async () => (await reads.inviteCode.get()).inviteCode,
    rendering: async () => (await reads.rendering.get()).fps,
    diagnostics: (query) => reads.diagnostics(new URLSearchParams(query).toString()),
    ...writes,
    async rebindFarmhand() {
      throw new FarmError({ kind: 'unsupported', what: 'rebind a farmhand over its API' })
    },
    async changeSettings() {
      throw new FarmError(noSettingsFile)
    },
    sendChat: (line) => chat.send(line),
    async announce() {
      throw new FarmError({ kind: 'unsupported', what: 'say a line as the server over its API' })
    },
    subscribe(listener) {
      // Wrapped, so that the same function can subscribe twice and each subscription can end separately.
      const own = (event: GameEvent) => listener(event)
      if (listeners.size === 0) {
        audience += 1
        watch.pollAll()
      }
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    async close() {
      isClosed = true
      watch.stop()
      chat.close()
      http.close()
      // A closed bridge does not serve cached answers.
      reads.dropAll()
      listeners.clear()
    },
  }
}

/** Whether a read failed only because the game did not answer it. */
const isUnanswered = (error: unknown): boolean =>
  error instanceof FarmError &&
  (error.failure.kind === 'timeout' ||
    (error.failure.kind === 'unavailable' && error.failure.because === undefined))
