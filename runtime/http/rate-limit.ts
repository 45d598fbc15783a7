/** Rates of contract section 1: per minute, the burst is the whole minute's allowance. */

interface Bucket {
  tokens: number
  /** When `tokens` was right, milliseconds. */
  at: number
}

const minute = 60_000
/** Callers remembered at once; who was seen first is forgotten first. */
const most = 20_000

/** A token bucket per caller. */
class RateLimit {
  readonly #perMinute: number
  readonly #now: () => number
  readonly #buckets = new Map<string, Bucket>()

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
    const bucket = this.#refilled(caller)
    if (bucket.tokens < 1) return Math.ceil(((1 - bucket.tokens) * minute) / this.#perMinute / 1000)
    bucket.tokens -= 1
    return 0
  }

  #refilled(caller: string): Bucket {
    const now = this.#now()
    let bucket = this.#buckets.get(caller)
    if (bucket === undefined) {
      bucket = { tokens: this.#perMinute, at: now }
      this.#buckets.set(caller, bucket)
      if (this.#buckets.size > most) this.#forgetOldest()
      return bucket
    }
    // A clock that runs backwards refills nothing and takes nothing away.
    const earned = (Math.max(0, now - bucket.at) * this.#perMinute) / minute
    bucket.tokens = Math.min(this.#perMinute, bucket.tokens + earned)
    bucket.at = now
    return bucket
  }

  /** Drops half of them: a map keeps the order of insertion. */
  #forgetOldest(): void {
    let left = most / 2
    for (const caller of this.#buckets.keys()) {
      if (left === 0) break
      this.#buckets.delete(caller)
      left -= 1
    }
  }
}

export interface Limits {
  readonly reads: RateLimit
  readonly writes: RateLimit
  readonly anonymous: RateLimit
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
