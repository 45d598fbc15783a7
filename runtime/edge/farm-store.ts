/**
 * What a farm's object stores in its SQLite: digests of the farm's keys, its last known status and health, and its chat
 * lines. Tables are made by the first write, so that the objects of farms that were never created store nothing.
 */
import * as v from 'valibot'
import {
  bytesOf,
  ChatHistory,
  type HeardLine,
  keptBytes,
  keptLines,
  type Missed,
} from '../../handlers/chat/history.ts'
import { changedBeyondClock } from '../../handlers/game-event.ts'
import { type Status, status as statusRecord } from '../../handlers/game-records.ts'
import { parseJson, stringifyJson } from '../../handlers/json.ts'
import type { LinkedStore } from '../bridges/linked/linked-game.ts'
import { type FarmHealth, farmHealth } from '../link/protocol.ts'
import { type KeyStore, keyStore } from './key-store.ts'

/** The newest chat line: line `n` of the run `run` of the farm's process, and the `seq` of the line after it. */
export interface ChatPosition {
  readonly run: string
  readonly n: number
  readonly next: number
  /** Upper bound of the bytes of all stored lines; the exact number is read only when this one is above the limit. */
  readonly bytes: number
}

export interface FarmStore extends LinkedStore, KeyStore {
  /** A number for a new link, greater than all before. */
  nextGeneration(): number
  /** Numbers the line of the last `keepHeard`, and stores it. @param first the `seq` of the farm's first line */
  addLine(compose: (seq: number) => string, first: number): HeardLine
  /** The `seq` that the next line will have. */
  nextLine(first: number): number
  missedSince(since: number, first: number): Missed
  /** A new value after each line; undefined while no line was stored since the object was loaded. */
  readonly position: ChatPosition | undefined
  /** Sets the position that was attached to the link's socket before the object was unloaded. */
  resume(position: ChatPosition): void
  /** Clears what is in memory; the caller deletes the storage. */
  forget(): void
}

/** Milliseconds between two writes of a status in which only the game's clock has changed. */
const clockWriteInterval = 60_000

const schema = [
  'CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT, digest BLOB, at INTEGER) WITHOUT ROWID',
  // A ring buffer: each line replaces the oldest, so that one row is written and none is deleted.
  'CREATE TABLE IF NOT EXISTS lines (place INTEGER PRIMARY KEY, seq INTEGER NOT NULL, text TEXT NOT NULL, run TEXT NOT NULL, n INTEGER NOT NULL)',
]

/** Deletes the oldest lines, so that the others together have no more bytes than the parameter. */
const forgetOldest = `DELETE FROM lines WHERE seq <= (SELECT max(seq) FROM
  (SELECT seq, sum(octet_length(text)) OVER (ORDER BY seq DESC) AS bytes FROM lines) WHERE bytes > ?)`

const fact = v.object({
  value: v.nullable(v.string()),
  digest: v.nullable(v.instance(ArrayBuffer)),
  at: v.nullable(v.number()),
})
const heardLine = v.object({ seq: v.number(), text: v.string() })

/** @param now milliseconds since 1970 */
export function farmStore(sql: SqlStorage, now: () => number): FarmStore {
  let isThere = [...sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'facts'")].length > 0
  const write = (statement: string, ...values: (string | number | Uint8Array<ArrayBuffer> | null)[]) => {
    if (!isThere) for (const table of schema) sql.exec(table)
    isThere = true
    sql.exec(statement, ...values.map((value) => (value instanceof Uint8Array ? value.buffer : value)))
  }
  const read = (statement: string, ...values: (string | number)[]) =>
    isThere ? [...sql.exec(statement, ...values)] : []

  const factOf = (name: string) => {
    const [row] = read('SELECT value, digest, at FROM facts WHERE name = ?', name)
    return row === undefined ? undefined : v.parse(fact, row)
  }
  const keep = (name: string, value: string, at: number) =>
    write('INSERT OR REPLACE INTO facts (name, value, at) VALUES (?, ?, ?)', name, value, at)
  const record = <T>(name: string, schema: v.GenericSchema<unknown, T>): T | undefined => {
    const { value } = factOf(name) ?? {}
    const parsed = value ? v.safeParse(schema, parseJson(value)) : undefined
    return parsed?.success === true ? parsed.output : undefined
  }

  const heard = new Map<string, number>()
  /** The line of the last `keepHeard`; `addLine` stores it. */
  let newest = { run: '', n: 0 }
  /** The status that was written last. */
  let written: { readonly status: Status; readonly at: number } | undefined
  /** A newer status that is not written yet. */
  let unwritten: { readonly status: Status; readonly at: number } | undefined
  let next: number | undefined
  let position: ChatPosition | undefined
  /** Deletes old lines if a new one makes too many bytes. @returns the new `bytes` of the position */
  const withinBytes = (added: number, seq: number): number => {
    // The row of the newest line is never deleted, because `heard` reads the farm's number of the line from it.
    if (added > keptBytes) {
      write('DELETE FROM lines WHERE seq < ?', seq)
      return 0
    }
    const bytes = (position?.bytes ?? Infinity) + added
    if (bytes <= keptBytes) return bytes
    write(forgetOldest, keptBytes)
    const [row] = read('SELECT sum(octet_length(text)) AS bytes FROM lines')
    return v.parse(v.number(), row?.['bytes'])
  }
  const writeStatus = (status: Status, at: number) => {
    keep('status', stringifyJson(status), at)
    written = { status, at }
    unwritten = undefined
  }
  const nextLine = (first: number): number => {
    if (next === undefined) {
      const [row] = read('SELECT max(seq) AS seq FROM lines')
      const last = typeof row?.['seq'] === 'number' ? row['seq'] : undefined
      next = last === undefined ? first : last + 1
    }
    return next
  }

  return {
    stored() {
      const status = record('status', statusRecord)
      const health = record('health', farmHealth)
      const healthAt = factOf('health')?.at ?? 0
      const at = Math.max(factOf('status')?.at ?? 0, healthAt)
      return {
        at,
        healthAt,
        ...(status !== undefined && { status }),
        ...(health !== undefined && { health }),
      }
    },
    keepStatus(status, at) {
      if (
        written === undefined ||
        at - written.at >= clockWriteInterval ||
        changedBeyondClock(written.status, status)
      )
        writeStatus(status, at)
      else unwritten = { status, at }
    },
    keepHealth: (health: FarmHealth, at) => keep('health', stringifyJson(health), at),
    heard(run) {
      let last = heard.get(run)
      if (last === undefined) {
        const [row] = read('SELECT max(n) AS n FROM lines WHERE run = ?', run)
        last = typeof row?.['n'] === 'number' ? row['n'] : 0
        heard.set(run, last)
      }
      return last
    },
    keepHeard(run, n) {
      heard.set(run, n)
      newest = { run, n }
    },
    ...keyStore({ factOf, record, keep, write }, now),
    nextGeneration() {
      const generation = Number(factOf('generation')?.value ?? 0) + 1
      keep('generation', String(generation), now())
      return generation
    },
    addLine(compose, first) {
      const seq = nextLine(first)
      const line = { seq, text: compose(seq) }
      const bytes = bytesOf(line.text)
      write(
        'INSERT OR REPLACE INTO lines (place, seq, text, run, n) VALUES (?, ?, ?, ?, ?)',
        seq % keptLines,
        seq,
        bytes > keptBytes ? '' : line.text,
        newest.run,
        newest.n,
      )
      next = seq + 1
      position = { ...newest, next, bytes: withinBytes(bytes, seq) }
      return line
    },
    nextLine,
    missedSince(since, first) {
      const rows = read("SELECT seq, text FROM lines WHERE text <> '' ORDER BY seq")
      const lines = rows.map((row) => v.parse(heardLine, row))
      return new ChatHistory(nextLine(first), lines).missedSince(since)
    },
    get position() {
      return position
    },
    resume(found) {
      position = found
      next = found.next
      heard.set(found.run, found.n)
    },
    flush() {
      if (unwritten !== undefined) writeStatus(unwritten.status, unwritten.at)
    },
    forget() {
      isThere = false
      heard.clear()
      written = undefined
      unwritten = undefined
      next = undefined
      position = undefined
    },
  }
}
