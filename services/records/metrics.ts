import type { KeyRing } from '../../lib/key-ring.ts'
import { Gauge, type Registry } from '../../lib/prom-client.ts'
import { counter, gauge } from '../../lib/series.ts'
import type { Measured } from './keeper.ts'
import type { OpenRecords } from './open-records.ts'

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
