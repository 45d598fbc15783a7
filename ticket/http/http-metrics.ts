import { Counter, Registry } from '../../lib/prom-client.ts'
import { counter, gauge } from '../../lib/series.ts'
import type { AppTicketCache } from '../app-ticket-cache.ts'
import type { PlatformPort } from '../platform-port.ts'

/** The metrics of the service. */
export type HttpMetrics = ReturnType<typeof httpMetrics>

/** @returns the metrics. Gauges read the session and the ticket cache when the text is made. */
export function httpMetrics(platform: PlatformPort, tickets: AppTicketCache) {
  const registry = new Registry()
  const requests = new Counter({
    name: 'ticket_http_requests_total',
    help: 'Answered requests by path and status',
    labelNames: ['path', 'status'] as const,
    registers: [registry],
  })
  gauge(registry, 'ticket_logged_in', '1 while logged on to Steam', () =>
    Number(platform.state().phase === 'logged_on'),
  )
  gauge(registry, 'ticket_login_needed', '1 while a person must sign in', () =>
    Number(platform.state().phase === 'login_needed'),
  )
  counter(registry, 'ticket_logons_total', 'Successful logons', () => platform.state().session)
  gauge(
    registry,
    'ticket_token_days_remaining',
    'Whole days until the token ends, NaN when unknown',
    () => platform.state().tokenDaysLeft ?? Number.NaN,
  )
  counter(registry, 'ticket_platform_requests_total', 'Tickets requested from Steam', () =>
    tickets.requestCount(),
  )
  gauge(registry, 'ticket_resident_memory_bytes', 'Resident memory of the process', () =>
    process.memoryUsage.rss(),
  )
  return {
    registry,
    /** Counts one answered request. */
    answered: (path: string, status: number) => requests.inc({ path, status: String(status) }),
    /** All metrics in the Prometheus text format. */
    text: () => registry.metrics(),
  }
}
