/**
 * A cached read of the game, shared by all callers: calls at the same time make one request, a good answer is served
 * again for a short time, an error is not cached, and writes that can change the answer drop it.
 */
export interface KeptRead<T> {
  /** Returns the same object as before while the game's answer is the same. @throws {FarmError} */
  get(): Promise<T>
  /** The newest good answer, however old, and when its request was sent (`monotonic`). */
  readonly last: { readonly value: T; readonly at: number } | undefined
  /** Makes the next call send a request, even during an earlier one. */
  drop(): void
}

interface Said<T> {
  readonly text: string
  readonly value: T
}

export interface KeptReadOptions<T> {
  /** Sends the request; when the text is the same as `before`'s it must return the same value. @throws {FarmError} */
  ask(before: Said<T> | undefined): Promise<Said<T>>
  /** Milliseconds for which an answer is served again, counted from its request. */
  readonly keepFor: number
  monotonic(): number
  /** Called with each good answer, in order, but not with one that was dropped before it came. */
  onAnswer?(value: T): void
}

export function keptRead<T>({ ask, keepFor, monotonic, onAnswer }: KeptReadOptions<T>): KeptRead<T> {
  let kept: (Said<T> & { readonly answer: Promise<T>; at: number }) | undefined
  let isFresh = false
  let underWay: Promise<T> | undefined
  let drops = 0

  async function start(): Promise<T> {
    const at = monotonic()
    const before = drops
    try {
      const { text, value } = await ask(kept)
      if (drops !== before) return value
      if (kept?.value === value) kept.at = at
      else kept = { text, value, answer: Promise.resolve(value), at }
      isFresh = true
      onAnswer?.(value)
      return value
    } finally {
      if (drops === before) underWay = undefined
    }
  }

  return {
    get() {
      if (isFresh && kept !== undefined && monotonic() - kept.at < keepFor) return kept.answer
      underWay ??= start()
      return underWay
    },
    get last() {
      return kept
    },
    drop() {
      drops += 1
      isFresh = false
      underWay = undefined
    },
  }
}
