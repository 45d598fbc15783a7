/** The limits on chat clients at once: on all, and on those of one address that have not authenticated yet. */
import { authTimeout, unauthenticatedPerAddress } from '../../handlers/chat/limits.ts'
import type { RoomClient } from '../../handlers/chat/room-client.ts'
import { Problem } from '../../handlers/problem.ts'
import { type AddressLines, addressLines } from '../../lib/address-lines.ts'
import { callerOf } from '../../lib/caller-address.ts'
import type { Log } from '../../lib/log.ts'

export interface Places {
  readonly clients: Iterable<RoomClient>
  /** Clients with a pending handshake. */
  readonly handshakes?: ReadonlySet<{ readonly address: string }>
  readonly maxClients: number
  readonly keyRequired: boolean
  /** Logs that an address has too many clients that have not authenticated. */
  readonly crowded: (address: string) => void
}

/** @param now milliseconds of a clock that never runs backwards */
export function crowdedAddresses(
  log: Log,
  now: () => number,
): { readonly note: (address: string) => void } & Pick<AddressLines, 'flush'> {
  const warn = (fields: object) =>
    log.warn(fields, 'too many WebSocket clients of one address have yet to authenticate: refusing more')
  const lines = addressLines({ now, leftOut: (address, handshakes) => warn({ address, handshakes }) })
  return {
    note: (address) => lines.note(address, () => warn({ address, limit: unauthenticatedPerAddress })),
    flush: lines.flush,
  }
}

/**
 * Checks that one more client may connect. A closed client no longer counts, even if its peer keeps the connection
 * open.
 * @param address of the new client
 * @throws {Problem} too_many_clients, rate_limited
 */
export function checkPlace(
  { clients, handshakes = new Set(), maxClients, keyRequired, crowded }: Places,
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
  if (keyRequired && unauthenticated >= unauthenticatedPerAddress) {
    crowded(address)
    throw new Problem(
      'rate_limited',
      `${unauthenticatedPerAddress} WebSocket clients of this address have yet to authenticate; try again later`,
      { retryAfter: authTimeout / 1000 },
    )
  }
}
