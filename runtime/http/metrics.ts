/** Prometheus series of the control API, on Node and at the edge. */

import type { WriteEnd } from '../../handlers/audit-entry.ts'
import { causeCodes } from '../../handlers/cause.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { presentMoment } from '../../handlers/game-moment.ts'
import { Counter, Gauge, Histogram, Registry } from '../../lib/prom-client.ts'
import { gauge } from '../../lib/series.ts'

export interface RouteMetrics {
  /** @param seconds from the request's arrival to its answer */
  observe(status: number, seconds: number): void
}

export interface AuditMetrics {
  /** A write through this server has ended. */
  ended(outcome: WriteEnd['outcome']): void
  /** The row of a write was not confirmed in time. */
  late(): void
}

export type Metrics = ReturnType<typeof createMetrics>

/** Puts the farm's name on every series when the metrics are read. @param farm undefined while it is unknown */
export function labelFarm(registry: Registry, farm: () => string | undefined): void {
  registry.setDefaultLabels({
    get farm() {
      return farm() ?? ''
    },
  })
}

/** The metrics as endpoints show them. */
export const metricsText = (registry: Registry) => ({
  contentType: registry.contentType,
  text: () => registry.metrics(),
})

/** @param clients how many sockets get the farm's chat now */
export const measureClients = (registry: Registry, clients: () => number) =>
  gauge(registry, 'farmgate_ws_clients', 'Sockets that receive the chat', clients)

/** What only the edge measures. @param chat how much the object of a farm keeps of its sockets */
export const measureState = (registry: Registry, chat: { readonly stateBytes: number }) =>
  gauge(
    registry,
    'farmgate_ws_state_bytes',
    'What this object keeps of its sockets, attached and in memory',
    () => chat.stateBytes,
  )

/** @param now milliseconds since 1970 */
export function createMetrics(game: Pick<GameBridge, 'health' | 'status'>, now: () => number) {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Counter({
    name: 'farmgate_http_requests_total',
    help: 'Answered requests',
    labelNames: ['method', 'path', 'status'],
    registers,
  })
  const duration = new Histogram({
    name: 'farmgate_http_request_duration_seconds',
    help: 'From arrival to answer',
    labelNames: ['method', 'path'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2, 5, 15],
    registers,
  })
  const counter = (name: string, help: string) => new Counter({ name, help, registers })
  gauge(registry, 'farmgate_game_available', '1 while the game answers', () =>
    game.health().gameAvailable ? 1 : 0,
  )
  gauge(registry, 'farmgate_game_frozen', '1 while the game answers but its main loop does not run', () =>
    game.health().isFrozen ? 1 : 0,
  )
  new Gauge({
    name: 'farmgate_cause',
    help: '1 for the cause that GET /health reports, 0 for every other cause',
    labelNames: ['code'],
    registers,
    collect() {
      const { cause } = game.health()
      for (const code of causeCodes) this.set({ code }, cause?.code === code ? 1 : 0)
    },
  })
  gauge(
    registry,
    'farmgate_game_snapshot_age_seconds',
    "Age of the game's newest snapshot, NaN before the first; the game takes none while a day turns",
    () => {
      const { snapshotAt } = game.health()
      return snapshotAt === undefined ? Number.NaN : Math.max(0, now() - snapshotAt) / 1000
    },
  )
  gauge(
    registry,
    'farmgate_day_transition_complete',
    '0 during a night or while no farm is loaded',
    async () => ((await presentMoment(game)).moment === 'day' ? 1 : 0),
  )
  gauge(registry, 'farmgate_players', 'Connected players', async () => (await game.status()).playerCount)
  const auditRows = new Counter({
    name: 'farmgate_audit_rows_total',
    help: 'Writes through this server that were handed to the audit, by outcome',
    labelNames: ['outcome'],
    registers,
  })
  const auditRowsLate = counter(
    'farmgate_audit_rows_late_total',
    'Writes that were answered before their row of the audit was confirmed',
  )
  return {
    registry,
    audit: {
      ended: (outcome) => auditRows.inc({ outcome }),
      late: () => auditRowsLate.inc(),
    } satisfies AuditMetrics,
    /** The series of one route, looked up once, because looking up labels for each request costs time. */
    route(method: string, path: string): RouteMetrics {
      const seconds = duration.labels({ method, path })
      const byStatus = new Map<number, { inc(): void }>()
      return {
        observe(status, elapsed) {
          seconds.observe(elapsed)
          let count = byStatus.get(status)
          if (count === undefined) {
            count = requests.labels({ method, path, status: String(status) })
            byStatus.set(status, count)
          }
          count.inc()
        },
      }
    },
    rateLimited: new Counter({
      name: 'farmgate_rate_limited_total',
      help: 'Requests refused by a rate limit',
      labelNames: ['limit'],
      registers,
    }),
    failedKeys: counter('farmgate_failed_keys_total', 'Wrong keys, over HTTP and /ws'),
    chat: {
      linesRelayed: counter('farmgate_chat_lines_relayed_total', 'Chat lines sent to clients'),
      linesSaid: counter('farmgate_chat_lines_said_total', 'Chat lines of clients shown in the game'),
      linesRefused: new Counter({
        name: 'farmgate_chat_lines_refused_total',
        help: 'Chat lines of clients that were refused, by error code',
        labelNames: ['code'],
        registers,
      }),
      closedSlow: counter('farmgate_ws_closed_slow_total', 'Sockets closed because they did not drain'),
    },
  }
}
