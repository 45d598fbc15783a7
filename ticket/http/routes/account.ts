import { createHash } from 'node:crypto'
import { withTimeLimit } from '../../../lib/time-limit.ts'
import { PlatformError } from '../../errors.ts'
import type { TokenRenewal } from '../../platform-port.ts'
import { problem } from './problems.ts'
import type { Route, Services } from './route.ts'

/** The ticket, base64, and the account that it belongs to. */
export const appTicket: Route = {
  method: 'GET',
  paths: ['/platform/app-ticket'],
  summary: 'An encrypted app ticket of the account',
  example: { app_ticket: 'CAEQARgB', platform_id: '76561198000000001' },
  async handle(_request, services) {
    const { ticket, steamId } = await issue(services)
    return { status: 200, body: { app_ticket: ticket.toString('base64'), platform_id: steamId } }
  },
}

/**
 * The app ticket with the fields of the existing sidecar, without `expires_at`: Steam does not report when a ticket
 * expires.
 */
export const existingAppTicket: Route = {
  method: 'GET',
  paths: ['/steam/app-ticket'],
  summary: 'The app ticket, as the existing sidecar returns it',
  example: {
    app_ticket: 'CAEQARgB',
    platform_id: '76561198000000001',
    steam_id: '76561198000000001',
    source: 'cached',
    sha8: '0f1e2d3c',
    ticket_length_bytes: 6,
  },
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
  summary: 'Whether a ticket is available now',
  example: { ready: true, account: 0, has_ticket: true },
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

/** Milliseconds. A later answer of Steam is still saved. */
const maxRenewal = 30_000

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
  summary: 'Asks Steam for a new refresh token',
  example: {
    renewed: true,
    outcome: 'renewed',
    error: null,
    previous_expires_at: '2026-12-01T12:00:00.000Z',
    expires_at: '2027-06-19T12:00:00.000Z',
  },
  isBodyless: true,
  async handle(_request, { platform }) {
    const late = () => new PlatformError('timeout')
    return { status: 200, body: renewalBody(await withTimeLimit(maxRenewal, platform.renewToken(), late)) }
  },
}

/** Always 410. The existing sidecar returns the account's token; the game server requests it and does not use it. */
export const refreshToken: Route = {
  method: 'GET',
  paths: ['/steam/refresh-token'],
  summary: 'Always 410: refresh tokens never leave this service',
  example: { error: 'Refresh tokens never leave this service', code: 'gone' },
  status: 410,
  handle: () => problem(410, 'gone', 'Refresh tokens never leave this service'),
}
