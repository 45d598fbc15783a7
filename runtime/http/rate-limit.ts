/** Rate limits (docs/http-api.md): a number of events a minute, all of which may come at once. */

interface Bucket {
  tokens: number
  /** When `tokens` was computed, milliseconds. */
  at: number
}

const minute = 60_000
/** Maximum of remembered callers within their limit, and of those beyond it. */
const maxCallers = 20_000

/** A token bucket per caller. */
export class RateLimit {
  readonly #perMinute: number
  readonly #now: () => number
  /**
   * Both in the order of their last use: a map keeps the order of insertion. Callers beyond their limit are
   * kept apart, so that many new callers cannot make one of them forgotten, which would give it a full allowance again.
   */
  readonly #within = new Map<string, Bucket>()
  readonly #beyond = new Map<string, Bucket>()

  /** @param perMinute 0 switches the limit off */
  constructor(perMinute: number, now: () => number) {
    this.#perMinute = perMinute
    this.#now = now
  }

  /**
   * Counts one event of a caller.
   * @returns 0 when it is within the limit, else the whole seconds after which one more will be
   */
  take(caller: string): number {
    if (this.#perMinute === 0) return 0
    const bucket = this.#taken(caller)
    const isWithin = bucket.tokens >= 1
    if (isWithin) bucket.tokens -= 1
    keep(bucket.tokens >= 1 ? this.#within : this.#beyond, caller, bucket)
    return isWithin ? 0 : Math.ceil(((1 - bucket.tokens) * minute) / this.#perMinute / 1000)
  }

  /** The caller's bucket, filled up to now, out of the maps. */
  #taken(caller: string): Bucket {
    const now = this.#now()
    const bucket = this.#within.get(caller) ?? this.#beyond.get(caller)
    if (bucket === undefined) return { tokens: this.#perMinute, at: now }
    if (!this.#within.delete(caller)) this.#beyond.delete(caller)
    // A clock that runs backwards refills nothing and takes nothing away.
    const earned = (Math.max(0, now - bucket.at) * this.#perMinute) / minute
    bucket.tokens = Math.min(this.#perMinute, bucket.tokens + earned)
    bucket.at = now
    return bucket
  }
}

/** Keeps a bucket as the last used one, and forgets the least recently used one where there are too many. */
function keep(buckets: Map<string, Bucket>, caller: string, bucket: Bucket): void {
  buckets.set(caller, bucket)
  if (buckets.size <= maxCallers) return
  for (const leastRecentlyUsed of buckets.keys()) {
    buckets.delete(leastRecentlyUsed)
    return
  }
}

/**
 * What requests without a key count against, each at the rate `anonymous`: a `/ws` handshake, whose key comes
 * later, and what health checks ask have allowances of their own. Otherwise whoever spends the allowance of an
 * address would lock out key holders and health checks at the same address (docs/security.md).
 */
export type AnonymousAllowance = 'anonymous' | 'handshakes' | 'probes'

export interface Limits extends Readonly<Record<AnonymousAllowance, RateLimit>> {
  readonly reads: RateLimit
  readonly writes: RateLimit
  readonly failedKeys: RateLimit
}

export interface Rates {
  readonly reads: number
  readonly writes: number
  readonly anonymous: number
  readonly failedKeys: number
}

export const limitsOf = (rates: Rates, now: () => number): Limits => ({
  reads: new RateLimit(rates.reads, now),
  writes: new RateLimit(rates.writes, now),
  anonymous: new RateLimit(rates.anonymous, now),
  handshakes: new RateLimit(rates.anonymous, now),
  probes: new RateLimit(rates.anonymous, now),
  failedKeys: new RateLimit(rates.failedKeys, now),
})

/** What counts as one caller: an IPv4 address, or the /64 that one IPv6 customer holds. */
export function callerOf(address: string): string {
  const mapped = /^::ffff:([0-9.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  if (tail !== undefined) {
    const last = tail === '' ? [] : tail.split(':')
    while (groups.length + last.length < 8) groups.push('0')
    groups.push(...last)
  }
  return `${groups.slice(0, 4).join(':')}::/64`
}
