/** Days that rows are kept; 0 keeps none. */
export interface KeptDays {
  readonly audit: number
  readonly history: number
  readonly chat: number
}

/** Deletes the expired rows of a table, a few at a time, so that no write waits long. */
export interface Prune {
  /** Which of the three limits applies. */
  readonly kept: keyof KeptDays
  /** @param before milliseconds since 1970 @param limit rows at most */
  run(before: number, limit: number): void
}

const day = 86_400_000
/** Maximum of rows of each table that are deleted at once; there is one such step every second. */
const rowsAtOnce = 500

/**
 * @param now milliseconds since 1970
 * @param isSteady whether the wall clock can be trusted. Otherwise only rows that are not kept at all are removed,
 * because a clock that is a year ahead for a minute would make all rows expire.
 */
export function pruneSome(prunes: readonly Prune[], days: KeptDays, now: number, isSteady: boolean): void {
  for (const { kept, run } of prunes)
    if (isSteady || days[kept] === 0) run(now - days[kept] * day, rowsAtOnce)
}
