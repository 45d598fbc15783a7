import { DatabaseSync } from 'node:sqlite'
import * as v from 'valibot'
import type { LinkedStore } from '../../bridges/linked/edge-end/linked-game.ts'
import { type ChatStore, chatStore, linesTable } from '../../runtime/edge/chat-store.ts'

/** The storage of an object. Its chat lines are in a database that outlives the object. */
export function memoryStore(db = newLines(), now = Date.now): LinkedStore & ChatStore {
  let stored: ReturnType<LinkedStore['stored']> = { at: 0, healthAt: 0 }
  const facts = new Map<string, string>()
  return {
    ...chatStore(
      {
        factOf: (name) => (facts.has(name) ? {} : undefined),
        record: (name, schema) => {
          const value = facts.get(name)
          return value === undefined ? undefined : v.parse(schema, JSON.parse(value))
        },
        keep: (name, value) => void facts.set(name, value),
        read: (statement, ...values) => db.prepare(statement).all(...values),
        write: (statement, ...values) => void db.prepare(statement).run(...values),
      },
      now,
    ),
    stored: () => stored,
    keepStatus(status, at) {
      stored = { ...stored, status, at }
    },
    keepHealth(health, at) {
      stored = { ...stored, health, at, healthAt: at }
    },
    flush() {},
  }
}

function newLines(): DatabaseSync {
  const db = new DatabaseSync(':memory:')
  db.exec(linesTable)
  return db
}
