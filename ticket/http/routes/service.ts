import type { Route } from './route.ts'

/** Answers 200 from process start, with or without a session. The body has no user name and no id. */
export const health: Route = {
  method: 'GET',
  paths: ['/health'],
  summary: 'Whether the service runs, and whether it is logged on',
  example: {
    status: 'ok',
    logged_in: true,
    timestamp: '2026-11-21T12:00:00.000Z',
    accounts: [{ index: 0, logged_in: true, token_days_remaining: 150 }],
    token_days_remaining: 150,
  },
  open: true,
  anyAccount: true,
  handle(_request, { platform, clock }) {
    const { phase, tokenDaysLeft } = platform.state()
    const token_days_remaining = tokenDaysLeft ?? null
    const logged_in = phase === 'logged_on'
    const body = {
      status: 'ok',
      logged_in,
      timestamp: new Date(clock.now()).toISOString(),
      // Newer game servers read the days from this list; older ones do not read them.
      accounts: [{ index: 0, logged_in, token_days_remaining }],
      token_days_remaining,
    }
    return { status: 200, body }
  },
}

/** All metrics in the Prometheus text format. */
export const metrics: Route = {
  method: 'GET',
  paths: ['/metrics'],
  summary: 'The metrics for Prometheus',
  example: 'ticket_logged_in 1',
  async handle(_request, services) {
    const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }
    return { status: 200, body: await services.metrics(), headers }
  },
}
