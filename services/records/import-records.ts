/**
 * Copies the records of a moved farm row by row into a new database of this version. The file is foreign: someone else
 * made it, perhaps to take over this farm.
 */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { stringifyJson } from '../../lib/json.ts'
import { BrokenArchive } from '../archives/broken-archive.ts'
import { openDatabase } from './database.ts'
import { inTransaction } from './database-in-use.ts'
import { migrations } from './migrations.ts'
import type { Skipped } from './readable-rows.ts'
import { tables } from './tables.ts'

/** What came of the old farm. */
export interface ImportedRecords {
  /** Rows of each table. */
  readonly came: Readonly<Record<string, number>>
  /** The names of its keys that are good here. */
  readonly keys: readonly string[]
  /** How many of its keys stayed behind. */
  readonly keysLeft: number
}

/** Bytes of one text: that of a row, and the allowlist, which is one row. */
const maxText = 64 * 1024
const maxAllowlist = 1024 * 1024
const maxSchemaText = 16_384
const day = 86_400_000

const allRows = 'TRUE'
const ownId = "octet_length(id) = 12 AND id NOT GLOB '*[^0-9a-f]*'"
/** The rows that come with every import, by table. */
const history: Readonly<Record<string, string>> = {
  audit: allRows,
  sessions: allRows,
  playersSeen: allRows,
  days: allRows,
  chat: allRows,
  samples: allRows,
  tenMinutes: allRows,
  hours: allRows,
  allowlist: allRows,
  expectedFarm: allRows,
  // Others would make the watchdog act here.
  numbers: "name IN ('nextChatLine', 'chatStoppedAt')",
  hostOperations: 'endedAt IS NOT NULL',
  schedules: `deletedAt IS NULL AND ${ownId}`,
  accounts: `deletedAt IS NULL AND ${ownId}`,
}
/** The rows by which someone may do something here. */
const withKeys: Readonly<Record<string, string>> = {
  keys: `revokedAt IS NULL AND ${ownId}`,
  webhooks: `deletedAt IS NULL AND ${ownId}`,
  deliveries: allRows,
  discordServers: 'unboundAt IS NULL',
  invitations: `deletedAt IS NULL AND ${ownId}`,
  accountGroups: allRows,
}
/** The rows that farmgate reads all at once, by table; it stores far fewer of them than these. */
const readWhole: Readonly<Record<string, string>> = {
  ...withKeys,
  ...{ allowlist: allRows, accounts: allRows, schedules: allRows, sessions: 'ended IS NULL' },
}
const most = { rows: 20_000, bytes: 8 * 1024 ** 2 }
/** Columns with JSON, by name. */
const jsonColumns: ReadonlySet<string> = new Set([
  ...['data', 'parameters', 'players', 'scopes', 'events', 'roles', 'operation'],
])
/** The id of an account at the game's platform uses all 64 bits. */
const anyInteger: ReadonlySet<string> = new Set(['playerId'])

/**
 * @param from a database that nothing else uses, without the files that SQLite would read with it
 * @param to a new file
 * @param now milliseconds since 1970
 * @throws {BrokenArchive} not records of this version or an earlier one
 */
export function importRecords(
  from: string,
  to: string,
  options: { readonly isWithKeys: boolean; readonly now: number },
): ImportedRecords {
  const { isWithKeys, now } = options
  try {
    using old = new DatabaseSync(from, { readOnly: true, allowExtension: false })
    old.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0')
    const version = Number(old.prepare('PRAGMA user_version').get()?.['user_version'])
    if (!(version >= 1 && version <= migrations.length)) throw new Error('of a newer farmgate')
    {
      using made = new DatabaseSync(to)
      for (const step of migrations.slice(0, version)) made.exec(step)
      made.exec(`PRAGMA user_version = ${version}`)
      requireSchema(old, made)
      if (old.prepare('PRAGMA quick_check(1)').get()?.['quick_check'] !== 'ok') throw new Error('damaged')
      const rows = { ...history, ...(isWithKeys && withKeys) }
      inTransaction(made, () => {
        for (const [table, where] of Object.entries(rows)) copyTable(old, made, table, where, now)
      })
    }
    const keysLeft = isWithKeys ? 0 : countOf(old, 'keys', keysOf(old))
    using db = openDatabase(to, { migrations })
    const found = settled(db, options)
    // One file, without those of an open database next to it.
    db.exec('PRAGMA journal_mode = DELETE')
    return { ...found, keysLeft }
  } catch {
    throw new BrokenArchive('its records are damaged, changed, or of a newer farmgate')
  }
}

/**
 * What the statements of a schema could do (triggers, checks, generated columns, indexes on expressions) is not judged:
 * only farmgate's own statements are accepted.
 * @throws for any other schema
 */
function requireSchema(found: DatabaseSync, own: DatabaseSync): void {
  const longest = found.prepare('SELECT max(octet_length(sql)) AS bytes, count(*) AS rows FROM sqlite_schema')
  const { bytes, rows } = longest.get() ?? {}
  const expected = statements(own)
  if (Number(bytes) > maxSchemaText || rows !== expected.length) throw new Error('another schema')
  if (stringifyJson(statements(found)) !== stringifyJson(expected)) throw new Error('another schema')
}

const statements = (db: DatabaseSync) =>
  db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all()

/** Copies the rows that farmgate could have stored. */
function copyTable(from: DatabaseSync, to: DatabaseSync, table: string, where: string, now: number): void {
  const columns = to.prepare('SELECT name, type FROM pragma_table_info(?)').all(table)
  // A table of a later version.
  if (columns.length === 0) return
  const names = columns.map(({ name }) => String(name))
  const longest = table === 'allowlist' ? maxAllowlist : maxText
  const sound = columns.flatMap(({ name, type }) => [
    ...(type === 'TEXT' || type === 'BLOB' ? [`coalesce(octet_length(${name}), 0) <= ${longest}`] : []),
    ...(type === 'TEXT' && jsonColumns.has(String(name)) ? [`json_valid(${name})`] : []),
  ])
  const chosen = `FROM ${table} WHERE ${[where, ...sound].map((one) => `(${one})`).join(' AND ')}`
  const whole = readWhole[table]
  if (whole !== undefined) {
    const bytes = names.map((name) => `coalesce(octet_length(${name}), 0)`).join(' + ')
    const found = from
      .prepare(`SELECT count(*) AS rows, total(${bytes}) AS bytes ${chosen} AND (${whole})`)
      .get()
    if (Number(found?.['rows']) > most.rows || Number(found?.['bytes']) > most.bytes)
      throw new Error('too much')
  }
  const read = from.prepare(`SELECT ${names.join()} ${chosen}`)
  read.setReadBigInts(true)
  const insert = to.prepare(
    `INSERT OR IGNORE INTO ${table} (${names.join()}) VALUES (${names.map(() => '?').join()})`,
  )
  // Ids are microseconds: one far in the future would end the numbering.
  const latest = BigInt(now + day) * 1000n
  for (const row of read.iterate()) {
    const isSound = names.every((name) => {
      const value = row[name]
      return typeof value !== 'bigint' || anyInteger.has(name) || (value <= latest && value >= -latest)
    })
    if (isSound)
      insertRow(
        insert,
        names.map((name) => row[name] ?? null),
      )
  }
}

/** A row of wrong types is left out: the tables are STRICT. */
function insertRow(insert: ReturnType<DatabaseSync['prepare']>, values: readonly SQLInputValue[]): void {
  try {
    insert.run(...values)
  } catch (error) {
    if (!/constraint|cannot store/i.test(String(error))) throw error
  }
}

/** Disables schedules, and takes the scopes of accounts that come without keys. */
function settled(
  db: DatabaseSync,
  { isWithKeys, now }: { readonly isWithKeys: boolean; readonly now: number },
) {
  const skipped: Skipped = () => undefined
  const { reads, writes } = tables(db, skipped)
  inTransaction(db, () => {
    const schedules = reads.storedSchedules()
    // Written again as they were read: JSON can say two things to two readers.
    db.exec('DELETE FROM schedules')
    for (const { dueAt: _, ...one } of schedules)
      writes.addSchedule({ ...one, enabled: false, disabledBecause: 'It came with a moved farm' })
    const accounts = reads.storedAccounts(now)
    db.exec('DELETE FROM accounts')
    for (const { groupScopes: _, ...one } of accounts)
      db.prepare('INSERT OR IGNORE INTO accounts (id, data) VALUES (?, ?)').run(
        one.id,
        stringifyJson(isWithKeys ? one : { ...one, scopes: [], groups: [] }),
      )
  })
  const came = Object.keys({ ...history, ...(isWithKeys && withKeys) })
    .map((table) => [table, countOf(db, table, allRows)] as const)
    .filter(([table, rows]) => rows > 0 && table !== 'numbers')
  const keys = reads.storedKeys().filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now)
  return { came: Object.fromEntries(came), keys: keys.map(({ name }) => name) }
}

const countOf = (db: DatabaseSync, table: string, where: string): number =>
  Number(db.prepare(`SELECT count(*) AS rows FROM ${table} WHERE ${where}`).get()?.['rows'])

/** Named keys, without sessions, in a database of any version. */
const keysOf = (db: DatabaseSync): string =>
  db.prepare("SELECT name FROM pragma_table_info('keys') WHERE name = 'account'").get() === undefined
    ? 'revokedAt IS NULL'
    : 'revokedAt IS NULL AND account IS NULL'
