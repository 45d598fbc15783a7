import type { DatabaseSync } from 'node:sqlite'

/** Times are milliseconds since 1970. */
export type KeptNumber =
  | 'gameShouldRun'
  | 'watchdogGaveUpAt'
  /** When the stuck night began, so that no webhook is sent twice. */
  | 'stuckSince'
  /** The days left of the Steam sign-in that were last sent, so that no webhook is sent twice. */
  | 'tokenDaysReported'
  /** What `numberChatFrom` stores. */
  | 'nextChatLine'
  | 'chatStoppedAt'
  /** Until when the game's chat was surely heard. */
  | 'chatHeardAt'
  /** Until when farmgate surely ran. */
  | 'aliveAt'
  /** Since when all outages are known. */
  | 'outagesSince'

/** @returns the same number @throws {RangeError} for one that could not be read again from the database */
export function readable(value: number): number {
  if (Number.isSafeInteger(value)) return value
  throw new RangeError(`${value} cannot be stored`)
}

export function numbersTable(db: DatabaseSync) {
  // One beyond was written by an earlier release and cannot be read.
  const one = db.prepare(
    `SELECT value FROM numbers WHERE name = ? AND value BETWEEN -${Number.MAX_SAFE_INTEGER} AND ${Number.MAX_SAFE_INTEGER}`,
  )
  const set = db.prepare('INSERT OR REPLACE INTO numbers (name, value) VALUES (?, ?)')
  const remove = db.prepare('DELETE FROM numbers WHERE name = ?')
  return {
    reads: {
      keptNumber(name: KeptNumber): number | undefined {
        const value = one.get(name)?.['value']
        return typeof value === 'number' ? value : undefined
      },
    },
    later: {
      /** @param value an integer; undefined for none @throws {RangeError} for one that could not be read again */
      keepNumber(name: KeptNumber, value: number | undefined): void {
        if (value === undefined) remove.run(name)
        else set.run(name, readable(value))
      },
    },
  }
}
