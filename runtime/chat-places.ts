/** The limits on chat clients at once: on all, and on those of one address that have not authenticated yet. */

import { authTimeout, unauthenticatedPerAddress } from '../handlers/chat/limits.ts'
import type { RoomClient } from '../handlers/chat/room-client.ts'
import { Problem } from '../handlers/problem.ts'
import { callerOf } from './http/rate-limit.ts'

export interface Places {
  readonly clients: Iterable<RoomClient>
  /** Clients whose handshake is under way. */
  readonly handshakes?: ReadonlySet<{ readonly address: string }>
  readonly maxClients: number
  readonly keyRequired: boolean
}

/**
 * Checks that one more client may connect. A client that was closed no longer counts, even if its peer keeps the
 * connection open.
 * @param address of the new client
 * @throws {Problem} too_many_clients, rate_limited
 */
export function checkPlace(
  { clients, handshakes = new Set(), maxClients, keyRequired }: Places,
  address: string,
): void {
  const caller = callerOf(address)
  let taken = handshakes.size
  let unauthenticated = 0
  for (const handshake of handshakes) if (callerOf(handshake.address) === caller) unauthenticated += 1
  for (const client of clients) {
    const { phase } = client.state.session
    if (phase !== 'closed') taken += 1
    if (phase === 'unauthenticated' && callerOf(client.address) === caller) unauthenticated += 1
  }
  if (taken >= maxClients)
    throw new Problem('too_many_clients', 'Too many WebSocket clients; try again later', { retryAfter: 30 })
  if (keyRequired && unauthenticated >= unauthenticatedPerAddress)
    throw new Problem(
      'rate_limited',
      `${unauthenticatedPerAddress} WebSocket clients of this address have yet to authenticate; try again later`,
      { retryAfter: authTimeout / 1000 },
    )
}
