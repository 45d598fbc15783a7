/**
 * One read of the game that any number of callers share: asked once while under way, served again for a
 * moment, never from a bad answer, and dropped by the writes that can change it.
 */
export interface KeptRead<T> {
  /** The same object as before while the game says the same. */
  get(): Promise<T>
  /** The newest good answer, however old, and when it was asked for. */
  readonly last: { readonly value: T; readonly at: number } | undefined
  /** The next caller asks anew, even while a question from before is under way. */
  drop(): void
}

interface Said<T> {
  readonly text: string
  readonly value: T
}

export interface KeptReadOptions<T> {
  /** Asks the game; the same words as before must be answered with the same value. @throws {GameError} */
  ask(before: Said<T> | undefined): Promise<Said<T>>
  /** Milliseconds, counted from the question. */
  readonly keepFor: number
  elapsed(): number
  /** Hears each good answer, in order; not those that a write has overtaken. */
  onAnswer?(value: T): void
}

export function keptRead<T>({ ask, keepFor, elapsed, onAnswer }: KeptReadOptions<T>): KeptRead<T> {
  let kept: (Said<T> & { readonly answer: Promise<T>; at: number }) | undefined
  let isFresh = false
  let underWay: Promise<T> | undefined
  let drops = 0

  async function start(): Promise<T> {
    const at = elapsed()
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
      if (isFresh && kept !== undefined && elapsed() - kept.at < keepFor) return kept.answer
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
