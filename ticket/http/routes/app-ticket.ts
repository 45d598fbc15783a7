import { createHash } from 'node:crypto'
import type { Route, Services } from './route.ts'

/** The ticket, base64, and the account that it belongs to. */
export const appTicket: Route = {
  method: 'GET',
  paths: ['/platform/app-ticket'],
  async handle(_request, services) {
    const { ticket, steamId } = await issue(services)
    return { status: 200, body: { app_ticket: ticket.toString('base64'), platform_id: steamId } }
  },
}

/**
 * The ticket with the fields of the existing sidecar, without `expires_at`: Steam does not report when a ticket
 * expires.
 */
export const existingAppTicket: Route = {
  method: 'GET',
  paths: ['/steam/app-ticket'],
  async handle(_request, services) {
    const { ticket, steamId, source } = await issue(services)
    const body = {
      app_ticket: ticket.toString('base64'),
      platform_id: steamId,
      steam_id: steamId,
      source,
      sha8: createHash('sha256').update(ticket).digest('hex').slice(0, 8),
      ticket_length_bytes: ticket.length,
    }
    return { status: 200, body }
  },
}

async function issue({ tickets }: Services) {
  const { bytes, steamId, source } = await tickets.ticket()
  return { ticket: Buffer.from(bytes), steamId, source }
}
