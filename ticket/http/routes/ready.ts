import { withTimeLimit } from '../../../lib/time-limit.ts'
import { PlatformError } from '../../errors.ts'
import type { Route } from './route.ts'

/** Milliseconds. The callers of this route wait five seconds. */
const maxWait = 4500
const maxLoginWait = 4000

/**
 * Whether a ticket is available now; it requests one to find out. Callers without the key get an answer too, but
 * without the account's id.
 */
export const ready: Route = {
  method: 'GET',
  paths: ['/steam/ready', '/platform/ready'],
  open: true,
  async handle({ account, allowed }, { tickets }) {
    const ticket = tickets.ticket({ loginWait: maxLoginWait, sparing: !allowed })
    const { steamId } = await withTimeLimit(maxWait, ticket, () => new PlatformError('timeout'))
    const body = { ready: true, account, ...(allowed && { steam_id: steamId }), has_ticket: true }
    return { status: 200, body }
  },
  onProblem: ({ body, headers = {} }) => ({
    status: 503,
    body: { ready: false, ...(typeof body === 'object' ? body : {}) },
    headers,
  }),
}
