import { Counter, type Registry } from '../../lib/prom-client.ts'
import { gauge } from '../../lib/series.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'

/** Milliseconds; a reading of the metrics does not wait longer for a disk that hangs. */
const measureTimeout = 1000

/** The attempts of all webhooks; register them when there is a registry. */
export const webhookTries = () =>
  new Counter({
    name: 'farmgate_webhook_tries_total',
    help: 'Tries to deliver to a webhook, by how they ended: `delivered`, or why not',
    labelNames: ['outcome'],
    registers: [],
  })

/** @param waiting how many deliveries wait; undefined when the records do not answer */
export function measureWebhooks(registry: Registry, waiting: () => Promise<number | undefined>): void {
  gauge(
    registry,
    'farmgate_webhook_deliveries_waiting',
    'Deliveries to webhooks that have not arrived yet',
    () => withTimeLimit(measureTimeout, waiting(), () => new Error('late')).catch(() => undefined),
  )
}
