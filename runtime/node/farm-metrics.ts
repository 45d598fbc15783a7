/** The series that only the farm's own process has. All but the answer time are computed when the metrics are read. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { FarmLink } from '../../bridges/linked/dial.ts'
import type { KeyRing } from '../../lib/key-ring.ts'
import { counter, gauge } from '../../lib/series.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import type { Measured } from '../../services/records/keeper.ts'
import type { OpenRecords } from '../../services/records/open-records.ts'

/** The answer times of a game server; register them when there is a registry. */
export const gameAnswers = () =>
  new Histogram({
    name: 'farmgate_game_answer_duration_seconds',
    help: 'With a game server: from a call of its API to its answer, or until the call failed',
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 5, 15],
    registers: [],
  })

/** The attempts of all webhooks; register them when there is a registry. */
export const webhookTries = () =>
  new Counter({
    name: 'farmgate_webhook_tries_total',
    help: 'Tries to deliver to a webhook, by how they ended: `delivered`, or why not',
    labelNames: ['outcome'],
    registers: [],
  })

/** Restarts of the game by farmgate, to be registered when there is a registry. */
export const hostRestarts = () =>
  new Counter({
    name: 'farmgate_game_restarts_total',
    help: 'With GAME_HOST: restarts of the game that have succeeded, by who asked for them: `key`, `schedule` or `watchdog`',
    labelNames: ['by'],
    registers: [],
  })

/** Trouble that the watchdog has found, to be registered when there is a registry. */
export function gameTrouble() {
  const crash = new Counter({
    name: 'farmgate_game_crashes_total',
    help: 'With GAME_HOST: how often the process of the game has ended without an operation',
    registers: [],
  })
  const hang = new Counter({
    name: 'farmgate_game_hangs_total',
    help: 'With GAME_HOST: how often the game ran and did not answer, or a night lasted 15 minutes',
    registers: [],
  })
  return { crash, hang }
}

export function measureWatchdog(
  registry: Registry,
  { crash, hang }: ReturnType<typeof gameTrouble>,
  gaveUpAt: () => string | undefined,
): void {
  registry.registerMetric(crash)
  registry.registerMetric(hang)
  gauge(registry, 'farmgate_watchdog_gave_up', 'With GAME_HOST: 1 while the watchdog has given up', () =>
    gaveUpAt() === undefined ? 0 : 1,
  )
}

export function measureRecords(
  registry: Registry,
  records: Pick<OpenRecords, 'state' | 'failures' | 'measured'>,
  keys: Pick<KeyRing, 'named'>,
): void {
  let underWay: Promise<Measured | undefined> | undefined
  /** All series of one reading share one answer of the thread. */
  const measured = () => {
    underWay ??= records.measured().finally(() => {
      underWay = undefined
    })
    return underWay
  }
  gauge(
    registry,
    'farmgate_records_on_disk',
    '1 while records are written to DATA_DIR, 0 while they are kept in memory only',
    () => (records.state === 'ok' ? 1 : 0),
  )
  counter(
    registry,
    'farmgate_records_failures_total',
    'Failures of the database in DATA_DIR',
    () => records.failures,
  )
  counter(
    registry,
    'farmgate_records_commits_total',
    'Commits of the database of the records',
    async () => (await measured())?.commits,
  )
  counter(
    registry,
    'farmgate_records_commit_seconds_total',
    'Time that the commits of the database of the records took, together',
    async () => (await measured())?.commitSeconds,
  )
  new Gauge({
    name: 'farmgate_records_rows',
    help: 'Rows of the database of the records, by table, counted once a minute at most',
    labelNames: ['table'],
    registers: [registry],
    async collect() {
      for (const [table, rows] of Object.entries((await measured())?.rowsOf ?? {})) this.set({ table }, rows)
    },
  })
  gauge(
    registry,
    'farmgate_keys',
    'Named keys that are not revoked, without API_KEY',
    () => keys.named?.length ?? 0,
  )
}

/** @param waiting how many deliveries wait; undefined when the records do not answer */
export function measureWebhooks(registry: Registry, waiting: () => Promise<number | undefined>): void {
  gauge(
    registry,
    'farmgate_webhook_deliveries_waiting',
    'Deliveries to webhooks that have not arrived yet',
    () => withTimeLimit(measureTimeout, waiting(), () => new Error('late')).catch(() => undefined),
  )
}

export function measureLink(registry: Registry, link: Pick<FarmLink, 'isOpen' | 'openings'>): void {
  gauge(registry, 'farmgate_link_up', 'With EDGE_URL: 1 while the link to the edge is open', () =>
    link.isOpen ? 1 : 0,
  )
  counter(
    registry,
    'farmgate_link_openings_total',
    'With EDGE_URL: how often the link to the edge has opened',
    () => link.openings,
  )
}

/** Milliseconds; a reading of the metrics does not wait longer for a disk that hangs. */
const measureTimeout = 1000
/** Milliseconds between two looks at the event loop. */
const resolution = 20

export function measureProcess(registry: Registry): void {
  const delay = monitorEventLoopDelay({ resolution })
  delay.enable()
  gauge(
    registry,
    'farmgate_event_loop_delay_seconds',
    'Delay of the event loop since the last reading, 99th percentile',
    () => {
      const seconds = Math.max(0, delay.percentile(99) / 1e9 - resolution / 1000)
      delay.reset()
      return seconds
    },
  )
  gauge(registry, 'farmgate_resident_memory_bytes', 'Resident memory of the process', () =>
    process.memoryUsage.rss(),
  )
}
