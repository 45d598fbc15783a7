import type { DatabaseSync } from 'node:sqlite'

/**
 * When the stuck night began, and the days left of the Steam sign-in last sent, so that no webhook is sent twice; and
 * what `numberChatFrom` stores.
 */
export type KeptNumber =
  | 'gameShouldRun'
  | 'watchdogGaveUpAt'
  | 'stuckSince'
  | 'tokenDaysReported'
  | 'nextChatLine'
  | 'chatStoppedAt'

export function numbersTable(db: DatabaseSync) {
  const one = db.prepare('SELECT value FROM numbers WHERE name = ?')
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
      /** @param value an integer; undefined for none */
      keepNumber(name: KeptNumber, value: number | undefined): void {
        if (value === undefined) remove.run(name)
        else set.run(name, value)
      },
    },
  }
}
