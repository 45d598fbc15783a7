/** The upstream bridge: the port over a dedicated server's own HTTP API and `/ws` (docs/upstream.md). */
import type { GameBridge } from '../../../handlers/game-bridge.ts'
import { GameError } from '../../../handlers/game-error.ts'
import { cabinEvents, type GameEvent, playerEvents } from '../../../handlers/game-event.ts'
import { neverSeen } from '../../../handlers/game-records.ts'
import { hostAndPort } from '../../failure-cause.ts'
import type { Log } from '../../log.ts'
import { statusShower } from '../../shown-status.ts'
import { chatSocket } from './chat-socket.ts'
import { type Clock, systemClock } from './clock.ts'
import { gameHttp } from './game-http.ts'
import { gameReads } from './game-reads.ts'
import { gameWatch } from './game-watch.ts'
import { gameWrites } from './game-writes.ts'
import { lastStatus } from './last-status.ts'
import { contractLimits, type Limits } from './limits.ts'
import { presence as createPresence } from './presence.ts'
import { obeyingRetryAfter } from './retry-after.ts'

export interface UpstreamOptions {
  /** The game's HTTP address, a path prefix included. */
  readonly url: string
  /** The game's own key; empty for none. */
  readonly key: string
  readonly log: Log
  readonly clock?: Clock
  /** 0 to 1, for the jitter. */
  readonly random?: () => number
  readonly limits?: Partial<Limits>
}

/** Starts at once and goes on trying for as long as it is open, whatever the game does. */
export function upstreamBridge(options: UpstreamOptions): GameBridge {
  const { key, log, clock = systemClock, random = Math.random } = options
  const url = new URL(options.url)
  const limits: Limits = { ...contractLimits, ...options.limits }
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

  /** Counts up when the first of the listeners comes: what happened while there was none is old. */
  let audience = 0
  /** Tells what changed between two answers of a read. */
  function telling<T>(changes: (before: T, after: T) => readonly GameEvent[]) {
    let before: { readonly value: T; readonly audience: number } | undefined
    return (value: T) => {
      const events =
        before?.audience === audience && before.value !== value ? changes(before.value, value) : []
      before = { value, audience }
      for (const event of events) emit(event)
    }
  }

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
  })
  const { availableFor } = limits
  const address = hostAndPort(url)
  const presence = createPresence({
    clock,
    log,
    address,
    hasKey: key !== '',
    availableFor,
    onBack: () => chat.tryNow(),
  })
  const http = obeyingRetryAfter(gameHttp({ url, key, clock }), { clock, log, address })
  const reads = gameReads({
    http,
    presence,
    clock,
    limits,
    onStatus: ({ isOnline }) => {
      heard = { at: clock.now(), elapsed: clock.elapsed() }
      if (isOnline && reads.health.last?.value.isFrozen !== true) wellAt = heard.at
    },
    onPlayers: telling(playerEvents),
    onCabins: telling(cabinEvents),
    onRendering: telling((before, { fps }) =>
      before.fps === fps ? [] : [{ type: 'rendering_changed', fps }],
    ),
  })
  /** When the game answered its status last: `at` by the wall's clock, `elapsed` for measuring. */
  let heard: { readonly at: number; readonly elapsed: number } | undefined
  const isAway = () => isClosed || heard === undefined || clock.elapsed() - heard.elapsed >= limits.awayAfter
  /** When it last answered with its farm loaded and its loop at work. */
  let wellAt: number | undefined
  const gameStatus = lastStatus()
  const shown = statusShower()
  const shownStatus = () => {
    const { last } = reads.status
    return last === undefined ? neverSeen : shown(gameStatus(last.value), wellAt, isAway())
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
  const writes = gameWrites({ http, presence, limits, reads, changed: () => watch.soon() })

  return {
    health() {
      const { snapshotAt } = presence
      const isAvailable = presence.isAvailable && !isClosed
      const { last } = reads.health
      const lastTickMs = last?.value.lastTickMs
      // A game that is away ticks no more, as far as anyone can tell.
      const silent = isAvailable || last === undefined ? 0 : Math.round(clock.elapsed() - last.at)
      return {
        gameAvailable: isAvailable,
        ...(isAway() && { awaySince: heard?.at ?? startedAt }),
        isFrozen: isAvailable && (last?.value.isFrozen ?? false),
        ...(lastTickMs !== undefined && { lastTickMs: lastTickMs + silent }),
        tickCount: last?.value.tickCount ?? 0,
        // The game counts those that wait for its own thread; which of them are ours it does not say.
        pendingActions: Math.max(isAvailable ? (last?.value.pendingActions ?? 0) : 0, http.writesUnderWay),
        ...(snapshotAt !== undefined && { snapshotAt }),
      }
    },
    status,
    players: reads.players.get,
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
      throw new GameError({ kind: 'unsupported', what: 'rebind a farmhand over its API' })
    },
    sendChat: (line) => chat.send(line),
    subscribe(listener) {
      // A wrapper, so that the same function may listen twice and be stopped once.
      const own = (event: GameEvent) => listener(event)
      if (listeners.size === 0) {
        audience += 1
        watch.soon()
      }
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    async close() {
      isClosed = true
      watch.stop()
      chat.close()
      http.close()
      // What was answered a moment ago is not answered again by a bridge that is closed.
      reads.dropAll()
      listeners.clear()
    },
  }
}
