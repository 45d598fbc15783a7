/** The storage of a Durable Object, as the fleet uses it. */

export interface Sql {
  exec(
    query: string,
    ...values: readonly (string | number | null)[]
  ): { toArray(): Record<string, unknown>[] }
}

export interface KeyValues {
  get(key: string): unknown
  put(key: string, value: unknown): void
}
