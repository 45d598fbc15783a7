import type { Route } from './route.ts'

/** Its callers wait five seconds for each try. */
const maxLoginWait = 4000

/**
 * Whether a ticket can be had right now; proves it by having one. Open to probes that have no key: to them the account's
 * id is not told.
 */
export const ready: Route = {
  method: 'GET',
  paths: ['/steam/ready', '/platform/ready'],
  open: true,
  async handle({ account, allowed }, { tickets }) {
    const { steamId } = await tickets.ticket({ loginWait: maxLoginWait, sparing: !allowed })
    const body = { ready: true, account, ...(allowed && { steam_id: steamId }), has_ticket: true }
    return { status: 200, body }
  },
  onProblem: ({ body, headers = {} }) => ({
    status: 503,
    body: { ready: false, ...(typeof body === 'object' ? body : {}) },
    headers,
  }),
}
