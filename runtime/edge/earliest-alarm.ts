/** The one alarm that a Durable Object has, set for the earliest of the moments that were asked for. */
export class EarliestAlarm {
  readonly #storage: DurableObjectStorage
  /** Milliseconds since 1970; Infinity when it is not set, undefined when the storage has to be asked. */
  #at: number | undefined

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  /** Goes off at that moment at the latest. @param moments milliseconds since 1970; undefined asks for none */
  async setFor(...moments: readonly (number | undefined)[]): Promise<void> {
    const next = Math.min(...moments.map((moment) => moment ?? Infinity))
    if (next === Infinity) return
    this.#at ??= (await this.#storage.getAlarm()) ?? Infinity
    if (this.#at <= next) return
    this.#at = next
    await this.#storage.setAlarm(next)
  }

  /** It went off, or was deleted with the storage. */
  gone(): void {
    this.#at = undefined
  }
}
