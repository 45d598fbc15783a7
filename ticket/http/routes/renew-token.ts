import { withTimeLimit } from '../../../lib/time-limit.ts'
import { PlatformError } from '../../errors.ts'
import type { TokenRenewal } from '../../platform-port.ts'
import type { Route } from './route.ts'

/** Milliseconds. A later answer of Steam is still saved. */
const maxWait = 30_000

/** @returns a renewal as the existing sidecar reports it */
export function renewalBody({ outcome, error, previousExpiresAt, expiresAt }: TokenRenewal) {
  const time = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString())
  return {
    renewed: outcome === 'renewed',
    outcome,
    error: error ?? null,
    previous_expires_at: time(previousExpiresAt),
    expires_at: time(expiresAt),
  }
}

/** Asks Steam for a new refresh token now. The token itself is in no answer. */
export const renewToken: Route = {
  method: 'POST',
  paths: ['/steam/renew-token', '/platform/renew-token'],
  isBodyless: true,
  async handle(_request, { platform }) {
    const late = () => new PlatformError('timeout')
    return { status: 200, body: renewalBody(await withTimeLimit(maxWait, platform.renewToken(), late)) }
  },
}
