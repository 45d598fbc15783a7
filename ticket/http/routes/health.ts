import type { Route } from './route.ts'

/** Answers at once from process start, whatever Steam does. No user name, no id. */
export const health: Route = {
  method: 'GET',
  paths: ['/health'],
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
      // Later game servers read the days here, earlier ones not at all.
      accounts: [{ index: 0, logged_in, token_days_remaining }],
      token_days_remaining,
    }
    return { status: 200, body }
  },
}
