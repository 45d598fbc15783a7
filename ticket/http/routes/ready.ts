import type { Route } from '../route.ts'

/** Its callers wait five seconds for each try. */
const HELD = 4000

/** Whether a ticket can be had right now; proves it by having one. */
export const ready: Route = {
  method: 'GET',
  paths: ['/steam/ready', '/platform/ready'],
  async handle({ account }, { tickets }) {
    const { steamId } = await tickets.ticket(HELD)
    return { status: 200, body: { ready: true, account, steam_id: steamId, has_ticket: true } }
  },
  onProblem: ({ body, headers = {} }) => ({
    status: 503,
    body: { ready: false, ...(typeof body === 'object' ? body : {}) },
    headers,
  }),
}
