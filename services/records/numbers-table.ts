import type { DatabaseSync } from 'node:sqlite'

/**
 * When the stuck night began, and the days left of the Steam sign-in last sent, so that no webhook is sent twice; what
 * `numberChatFrom` stores; and until when the game's chat was surely heard; until when farmgate surely ran, and since when its outages are recorded.
 */
export type KeptNumber =
  | 'gameShouldRun'
  | 'watchdogGaveUpAt'
  | 'stuckSince'
  | 'tokenDaysReported'
  | 'nextChatLine'
  | 'chatStoppedAt'
  | 'chatHeardAt'
  | 'aliveAt'
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
