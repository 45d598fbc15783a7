import { problem } from './problems.ts'
import type { Route } from './route.ts'

/** The existing sidecar hands its account's token to anyone who asks; the game server asks and never uses it. */
export const refreshToken: Route = {
  method: 'GET',
  paths: ['/steam/refresh-token'],
  handle: () => problem(410, 'gone', 'Refresh tokens never leave this service'),
}
