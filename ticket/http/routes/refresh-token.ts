import { problem } from './problems.ts'
import type { Route } from './route.ts'

/** Always 410. The existing sidecar returns the account's token; the game server requests it and does not use it. */
export const refreshToken: Route = {
  method: 'GET',
  paths: ['/steam/refresh-token'],
  handle: () => problem(410, 'gone', 'Refresh tokens never leave this service'),
}
