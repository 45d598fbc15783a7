/** All tables of the database, with what is read from them and written to them. A new table is added here. */
import type { DatabaseSync } from 'node:sqlite'
import { auditTable } from './audit-table.ts'
import { chatTable } from './chat-table.ts'
import { daysTable } from './days-table.ts'
import { keysTable } from './keys-table.ts'
import { samplesTable } from './samples-table.ts'
import { sessionsTable } from './sessions-table.ts'

export function tables(db: DatabaseSync) {
  const audit = auditTable(db)
  const keys = keysTable(db)
  const sessions = sessionsTable(db)
  const samples = samplesTable(db)
  const days = daysTable(db)
  const chat = chatTable(db)
  return {
    reads: {
      ...audit.reads,
      ...keys.reads,
      ...sessions.reads,
      ...samples.reads,
      ...days.reads,
      ...chat.reads,
    },
    /** Answered when they are on the disk. */
    writes: { ...audit.writes, ...keys.writes, ...chat.writes },
    /** Not answered; on the disk within a second. */
    later: { ...keys.later, ...sessions.later, ...samples.later, ...days.later, ...chat.later },
    /** What is older than the days that it is kept. */
    prunes: [...audit.prunes, ...sessions.prunes, ...samples.prunes, ...days.prunes, ...chat.prunes],
  }
}

export type Tables = ReturnType<typeof tables>

/** Tables that are copied into memory when the disk can be read but no longer written. */
export const carriedOver: readonly string[] = ['keys', 'numbers']
