/** Limits on the connections of an HTTP server (docs/security.md). */

import type { Log } from './log.ts'

export interface ConnectionLimits {
  /** Maximum of connections at once. */
  readonly maxConnections: number
  /** Maximum of connections at once from one address on which no request had the key. */
  readonly maxWithoutKey: number
  /** Maximum of requests on one connection that are not answered yet. */
  readonly maxUnanswered: number
  /** Milliseconds that bytes may wait for a peer that reads none of them. */
  readonly writeTimeout: number
  /** Milliseconds in which a peer can read the last answer before its connection is destroyed. */
  readonly linger: number
  /** Milliseconds in which the request line and headers must arrive. */
  readonly headersTimeout: number
}

/** The limits, except `maxConnections`, which depends on `WS_MAX_CLIENTS`. */
export const usualLimits = {
  maxWithoutKey: 512,
  maxUnanswered: 100,
  writeTimeout: 15_000,
  linger: 1000,
  headersTimeout: 10_000,
} satisfies Partial<ConnectionLimits>

/**
 * Whether a peer's address is that of the client. Behind a proxy it is the proxy's, and a connection from loopback may
 * come from a proxy or tunnel although `TRUST_PROXY` is 0.
 * @param trustProxy the number of proxies in front
 */
export const isClientsOwn =
  (trustProxy: number) =>
  (address: string): boolean =>
    trustProxy === 0 && address !== '::1' && !/^(::ffff:)?127\./.test(address)

/** Log lines about reached limits. */
export const limitWarnings = (log: Pick<Log, 'warn'>) => ({
  ofAll: (fields: object) =>
    log.warn(
      fields,
      'too many connections: closing those that were idle longest, first of those without a key',
    ),
  ofOneAddress: (fields: object) =>
    log.warn(
      fields,
      'too many connections of one address: closing those without the key that were idle longest',
    ),
})
