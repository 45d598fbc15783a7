/**
 * What a farm's object stores in its SQLite: digests of the farm's keys, its last known status and health, and its
 * chat lines. The first write makes the tables, so the objects of farms that were never created store nothing.
 */

import * as v from 'valibot'
import type { LinkedStore } from '../../bridges/linked/edge-end/linked-game.ts'
import { type FarmHealth, farmHealth } from '../../bridges/linked/protocol.ts'
import { changedBeyondClock } from '../../handlers/game-event.ts'
import { type Status, status as statusRecord } from '../../handlers/game-records.ts'
import { checkForeign, foreignValue } from '../../lib/foreign/read.ts'
import { stringifyJson } from '../../lib/json.ts'
import { type ChatStore, chatStore, linesTable } from './chat-store.ts'
import { type KeyStore, keyStore } from './key-store.ts'

export interface FarmStore extends LinkedStore, KeyStore, ChatStore {
  /** A number for a new link, greater than all before. */
  nextGeneration(): number
  /** Lets no link in for a while, because the last one broke the protocol. */
  refuseLink(): void
  /** Milliseconds for which no link is let in. */
  linkRefusedFor(): number
}

/** Milliseconds between a link that broke the protocol and the next one: each bad frame takes time from other farms. */
const misusePause = 30_000
/** The name of the fact that says until when. */
const refusedLink = 'linkRefusedUntil'

/** Milliseconds between two writes of a status in which only the game's clock has changed. */
const clockWriteInterval = 60_000

const schema = [
  'CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT, digest BLOB, at INTEGER) WITHOUT ROWID',
  linesTable,
]

const fact = v.object({
  value: v.nullable(v.string()),
  digest: v.nullable(v.instance(ArrayBuffer)),
  at: v.nullable(v.number()),
})

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
  const digests = (prefix: string) =>
    read("SELECT value, digest, at FROM facts WHERE name GLOB ? || '*'", prefix).map((row) =>
      v.parse(fact, row),
    )
  const keep = (name: string, value: string, at: number) =>
    write('INSERT OR REPLACE INTO facts (name, value, at) VALUES (?, ?, ?)', name, value, at)
  const record = <T>(name: string, schema: v.GenericSchema<unknown, T>): T | undefined => {
    const { value } = factOf(name) ?? {}
    const parsed = value ? checkForeign(schema, foreignValue(value)) : undefined
    return parsed?.success === true ? parsed.output : undefined
  }

  const chat = chatStore({ factOf, record, keep, read, write }, now)
  /** The last written status. */
  let written: { readonly status: Status; readonly at: number } | undefined
  /** A newer status that is not written yet. */
  let unwritten: { readonly status: Status; readonly at: number } | undefined
  const writeStatus = (status: Status, at: number) => {
    keep('status', stringifyJson(status), at)
    written = { status, at }
    unwritten = undefined
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
    ...keyStore({ factOf, digests, record, keep, write }, now),
    ...chat,
    nextGeneration() {
      const generation = Number(factOf('generation')?.value ?? 0) + 1
      keep('generation', String(generation), now())
      return generation
    },
    refuseLink: () => keep(refusedLink, '', now() + misusePause),
    linkRefusedFor: () => Math.min(misusePause, Math.max(0, (factOf(refusedLink)?.at ?? 0) - now())),
    flush() {
      if (unwritten !== undefined) writeStatus(unwritten.status, unwritten.at)
    },
    forget() {
      isThere = false
      written = undefined
      unwritten = undefined
      chat.forget()
    },
  }
}
