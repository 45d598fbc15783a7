/** Reads the readable rows of a corrupt database, table by table and row by row. */
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { openDatabase } from './database.ts'
import { troubleOf } from './disk-trouble.ts'
import { migrations } from './migrations.ts'

/** Maximum of attempts to read after a damaged page, in one table. */
const maxTries = 200
const pageSize = 4096

/** The columns of a table, and those that order its rows. */
interface Table {
  readonly name: string
  readonly columns: readonly string[]
  /** `rowid`, or the primary key of a table without one. */
  readonly order: string
}

/**
 * Copies the readable rows into a database of the present schema. Existing rows stay as they are.
 * @param path of the corrupt database, which is not changed
 * @param names of the tables, the most important first
 * @returns how many rows were copied, by table; empty when not even the schema is readable
 * @throws the error of the database that is written to
 */
export function salvage(path: string, to: DatabaseSync, names: readonly string[]): Record<string, number> {
  const copied = salvageFrom(path, to, names)
  if (copied !== undefined) return copied
  const repaired = `${path}.repaired`
  try {
    replaceSchema(path, repaired)
    return salvageFrom(repaired, to, names) ?? {}
  } catch (error) {
    if (troubleOf(error) === 'full') throw error
    return {}
  } finally {
    for (const end of ['', '-wal', '-shm']) rmSync(`${repaired}${end}`, { force: true })
  }
}

/** @returns undefined for an unreadable schema */
function salvageFrom(
  path: string,
  to: DatabaseSync,
  names: readonly string[],
): Record<string, number> | undefined {
  let from: DatabaseSync | undefined
  try {
    from = new DatabaseSync(path, { readOnly: true })
    const known = from.prepare("SELECT count(*) AS tables FROM sqlite_master WHERE name = 'keys'").get()
    if (Number(known?.['tables']) === 0) throw new Error('no table of the records')
  } catch {
    from?.close()
    return undefined
  }
  try {
    const copied: Record<string, number> = {}
    for (const name of names) {
      const rows = salvageTable(from, to, name)
      if (rows > 0) copied[name] = rows
    }
    return copied
  } finally {
    from.close()
  }
}

function salvageTable(from: DatabaseSync, to: DatabaseSync, name: string): number {
  const table = tableOf(from, to, name)
  if (table === undefined) return 0
  const { columns, order } = table
  const insert = to.prepare(
    `INSERT OR IGNORE INTO ${name} (${columns.join()}) VALUES (${columns.map(() => '?').join()})`,
  )
  let copied = 0
  let tries = 0
  /** Copies until a row cannot be read. @returns where the last one was, and whether there are no more */
  const copy = (where: string, bounds: readonly SQLInputValue[], direction: 'ASC' | 'DESC') => {
    let last: SQLInputValue | undefined
    tries += 1
    try {
      const rows = from.prepare(
        `SELECT ${order} AS place, ${columns.join()} FROM ${name} ${where} ORDER BY ${order} ${direction}`,
      )
      rows.setReadBigInts(true)
      for (const row of rows.iterate(...bounds)) {
        last = row['place'] ?? last
        copied += insertRow(
          insert,
          columns.map((column) => row[column] ?? null),
        )
      }
      return { last, isWhole: true }
    } catch (error) {
      if (error instanceof WriteFailed) throw error.cause
      return { last, isWhole: false }
    }
  }
  const between = (low: bigint, high: bigint): void => {
    if (low > high || tries >= maxTries) return
    const where = 'WHERE rowid BETWEEN ? AND ?'
    const up = copy(where, [low, high], 'ASC')
    if (up.isWhole) return
    const down = copy(where, [low, high], 'DESC')
    const next = typeof up.last === 'bigint' ? up.last + 1n : low
    const end = typeof down.last === 'bigint' ? down.last - 1n : high
    if (next >= end) return
    const middle = (next + end) / 2n
    between(next, middle)
    between(middle + 1n, end)
  }
  const all = copy('', [], 'ASC')
  if (all.isWhole) return copied
  const back = copy('', [], 'DESC')
  if (order === 'rowid' && typeof back.last === 'bigint')
    between(typeof all.last === 'bigint' ? all.last + 1n : 0n, back.last - 1n)
  return copied
}

/** An error of the database that is written to; one of the other only ends the reading. */
class WriteFailed extends Error {}

/** @returns how many rows were inserted */
function insertRow(insert: ReturnType<DatabaseSync['prepare']>, values: readonly SQLInputValue[]): number {
  try {
    return Number(insert.run(...values).changes)
  } catch (error) {
    if (troubleOf(error) !== undefined) throw new WriteFailed('not written', { cause: error })
    // A row of wrong types, or of an older schema.
    return 0
  }
}

/** Only columns that both databases have. @returns undefined for a table that one of them lacks */
function tableOf(from: DatabaseSync, to: DatabaseSync, name: string): Table | undefined {
  const described = (db: DatabaseSync) => {
    try {
      return db.prepare('SELECT name, pk FROM pragma_table_info(?)').all(name)
    } catch {
      return []
    }
  }
  const known = new Set(described(to).map((column) => column['name']))
  const found = described(from).filter((column) => known.has(column['name']))
  if (found.length === 0) return undefined
  const columns = found.map((column) => String(column['name']))
  const key = found.filter(({ pk }) => Number(pk) > 0).map((column) => String(column['name']))
  return { name, columns, order: hasRowId(to, name) ? 'rowid' : key.join() }
}

function hasRowId(db: DatabaseSync, name: string): boolean {
  const found = db.prepare('SELECT wr FROM pragma_table_list(?)').get(name)
  return Number(found?.['wr']) === 0
}

/**
 * Copies a database and gives it the pages of a new one that have the schema. The tables are found where a database of
 * this version has them; a table in another place is unreadable, or has rows that do not fit.
 */
function replaceSchema(path: string, repaired: string): void {
  const fresh = `${repaired}-fresh`
  try {
    openDatabase(fresh, { migrations }).close()
    copyFileSync(path, repaired, constants.COPYFILE_FICLONE)
    // It has the newest changes, such as revocations.
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${repaired}-wal`)
    const pages = schemaPages(fresh)
    const first = pages.get(1)
    // The number of pages, which counts only where two counters of changes are equal (sqlite.org/fileformat.html).
    first?.writeUInt32BE(Math.floor(statSync(path).size / pageSize), 28)
    first?.copy(first, 92, 24, 28)
    const target = openSync(repaired, 'r+')
    for (const [number, page] of pages) writeSync(target, page, 0, pageSize, (number - 1) * pageSize)
    closeSync(target)
  } finally {
    for (const end of ['', '-wal', '-shm']) rmSync(`${fresh}${end}`, { force: true })
  }
}

/** The pages with the schema of a whole database, by number: the first one, and those that it refers to. */
function schemaPages(path: string): ReadonlyMap<number, Buffer> {
  const source = openSync(path, 'r')
  const read = (number: number) => {
    const page = Buffer.alloc(pageSize)
    readSync(source, page, 0, pageSize, (number - 1) * pageSize)
    return page
  }
  const first = read(1)
  const isInterior = first[100] === 5
  const cells = isInterior ? first.readUInt16BE(103) : 0
  const others = Array.from({ length: cells }, (_, at) =>
    first.readUInt32BE(first.readUInt16BE(112 + 2 * at)),
  )
  if (isInterior) others.push(first.readUInt32BE(108))
  const pages = new Map([[1, first], ...others.map((number) => [number, read(number)] as const)])
  closeSync(source)
  return pages
}
