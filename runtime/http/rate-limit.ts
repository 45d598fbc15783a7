/** Rate limits of the control API (docs/api.md). */
import { RateLimit, type Rates } from '../../lib/rate-limit.ts'

/**
 * The allowances of requests without a key, each at the rate `anonymous`: a `/ws` handshake, whose key comes later, a
 * browser's preflight, which has no key, and health checks have separate ones. Otherwise a client that uses up the
 * allowance of an address would lock out key holders and health checks at the same address (docs/security.md). The
 * calls for signing in, and downloads by a link or one-time address, cross the link, so each kind has a small one.
 */
export type AnonymousAllowance =
  | 'anonymous'
  | 'handshakes'
  | 'preflights'
  | 'probes'
  | 'signIns'
  | 'downloads'

/**
 * How many requests of an address may be refused with 429 in a minute before its connections are cut. A client that
 * respects `Retry-After` never comes near it.
 */
const refusalsAMinute = 120
/**
 * Calls for signing in a minute, and downloads without a key: of one address, and of all together in addition to the
 * first ones of each. So an address that has made none in the last minute is never refused, however many others try.
 */
const overLink = { ofAddress: 60, firstOfAddress: 10, ofAll: 300 } as const

export type Limits = ReturnType<typeof limitsOf>

/** A rate, at most another; 0 is unlimited. */
const atMost = (rate: number, most: number) => (rate === 0 ? 0 : Math.min(rate, most))

/** @returns whether calls of this kind cross the link of a farm at the edge */
export const isOverLink = (allowance: AnonymousAllowance): allowance is 'signIns' | 'downloads' =>
  allowance === 'signIns' || allowance === 'downloads'

const together = ({ anonymous }: Rates, now: () => number) => ({
  first: new RateLimit(atMost(anonymous, overLink.firstOfAddress), now),
  all: new RateLimit(anonymous === 0 ? 0 : overLink.ofAll, now),
})

export const limitsOf = (rates: Rates, now: () => number) => ({
  reads: new RateLimit(rates.reads, now),
  writes: new RateLimit(rates.writes, now),
  anonymous: new RateLimit(rates.anonymous, now),
  handshakes: new RateLimit(rates.anonymous, now),
  preflights: new RateLimit(rates.anonymous, now),
  probes: new RateLimit(rates.anonymous, now),
  signIns: new RateLimit(atMost(rates.anonymous, overLink.ofAddress), now),
  downloads: new RateLimit(atMost(rates.anonymous, overLink.ofAddress), now),
  /** What all addresses share of these two. */
  together: { signIns: together(rates, now), downloads: together(rates, now) },
  failedKeys: new RateLimit(rates.failedKeys, now),
  /** Counts refusals of an address by the other limits. */
  refusals: new RateLimit(refusalsAMinute, now),
})
