/** All tables of the database, with what is read from them and written to them. A new table is added here. */
import type { DatabaseSync } from 'node:sqlite'
import { auditTable } from './audit-table.ts'
import { keysTable } from './keys-table.ts'

export function tables(db: DatabaseSync) {
  const audit = auditTable(db)
  const keys = keysTable(db)
  return {
    reads: { ...audit.reads, ...keys.reads },
    /** Answered when they are on the disk. */
    writes: { ...audit.writes, ...keys.writes },
    /** Not answered; on the disk within a second. */
    later: { ...keys.later },
    /** What is older than the days that it is kept. */
    prunes: [...audit.prunes],
  }
}

export type Tables = ReturnType<typeof tables>

/** Tables that are copied into memory when the disk can be read but no longer written. */
export const carriedOver: readonly string[] = ['keys']
