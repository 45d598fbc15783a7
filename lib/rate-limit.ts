/** A rate limit: a number of events a minute, all of which may come at once. */
import { type TokenBucket, tokensAfter } from './token-bucket.ts'

interface Bucket {
  tokens: number
  /** When `tokens` was computed, milliseconds. */
  at: number
}

/** Requests a minute; 0 is unlimited. */
export interface Rates {
  readonly reads: number
  readonly writes: number
  readonly anonymous: number
  readonly failedKeys: number
}

const minute = 60_000
/** Maximum of remembered callers within their limit, and of those beyond it. */
const maxCallers = 20_000

/** A token bucket per caller. */
export class RateLimit {
  readonly #perMinute: number
  readonly #bucket: TokenBucket
  readonly #now: () => number
  /**
   * Both in the order of their last use: a map keeps the order of insertion. Callers above their limit are separate,
   * so that many new callers cannot remove one of them, which would give it a full allowance again.
   */
  readonly #within = new Map<string, Bucket>()
  readonly #beyond = new Map<string, Bucket>()

  /** @param perMinute 0 switches the limit off */
  constructor(perMinute: number, now: () => number) {
    this.#perMinute = perMinute
    this.#bucket = { atOnce: perMinute, added: perMinute, per: minute }
    this.#now = now
  }

  /**
   * Counts events of a caller: all of them or none.
   * @returns 0 when they are within the limit, else the whole seconds until as many more will be
   */
  take(caller: string, count = 1): number {
    if (this.#perMinute === 0) return 0
    const bucket = this.#taken(caller)
    const isWithin = bucket.tokens >= count
    if (isWithin) bucket.tokens -= count
    keep(bucket.tokens >= 1 ? this.#within : this.#beyond, caller, bucket)
    return isWithin ? 0 : this.#secondsTo(count, bucket.tokens)
  }

  /** What `take` would return now; counts nothing. */
  waitOf(caller: string): number {
    const bucket = this.#beyond.get(caller)
    const tokens = bucket === undefined ? 1 : this.#filled(bucket, this.#now())
    return tokens >= 1 ? 0 : this.#secondsTo(1, tokens)
  }

  #secondsTo(count: number, tokens: number): number {
    return Math.ceil(((count - tokens) * minute) / this.#perMinute / 1000)
  }

  /** Takes the caller's bucket, filled up to now, out of the maps. */
  #taken(caller: string): Bucket {
    const now = this.#now()
    const bucket = this.#within.get(caller) ?? this.#beyond.get(caller)
    if (bucket === undefined) return { tokens: this.#perMinute, at: now }
    if (!this.#within.delete(caller)) this.#beyond.delete(caller)
    bucket.tokens = this.#filled(bucket, now)
    bucket.at = now
    return bucket
  }

  #filled({ tokens, at }: Bucket, now: number): number {
    return tokensAfter(this.#bucket, tokens, now - at)
  }
}

/** Stores a bucket as the last used one, and removes the least recently used one where there are too many. */
function keep(buckets: Map<string, Bucket>, caller: string, bucket: Bucket): void {
  buckets.set(caller, bucket)
  if (buckets.size <= maxCallers) return
  for (const leastRecentlyUsed of buckets.keys()) {
    buckets.delete(leastRecentlyUsed)
    return
  }
}
