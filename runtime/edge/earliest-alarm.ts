/** The only alarm of a Durable Object, set for the earliest of several times. */
export class EarliestAlarm {
  readonly #storage: DurableObjectStorage
  /** Milliseconds since 1970; Infinity when no alarm is set, undefined until it was read from the storage. */
  #at: number | undefined

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  /** Sets the alarm for the earliest time, unless it is set for an earlier one. @param times milliseconds since 1970 */
  async setFor(...times: readonly (number | undefined)[]): Promise<void> {
    const next = Math.min(...times.map((time) => time ?? Infinity))
    if (next === Infinity) return
    this.#at ??= (await this.#storage.getAlarm()) ?? Infinity
    if (this.#at <= next) return
    this.#at = next
    await this.#storage.setAlarm(next)
  }

  /** Call this when the alarm has run, or was deleted with the storage. */
  cleared(): void {
    this.#at = undefined
  }
}
