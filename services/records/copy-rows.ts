import type { DatabaseSync } from 'node:sqlite'

const names = (db: DatabaseSync, query: string): readonly string[] =>
  db
    .prepare(query)
    .all()
    .map(({ name }) => String(name))

/** The names of all tables. */
export const tableNames = (db: DatabaseSync): readonly string[] =>
  names(db, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")

/** How many rows each table has. */
export const rowCounts = (db: DatabaseSync): Readonly<Record<string, number>> =>
  Object.fromEntries(
    tableNames(db).map((table) => [
      table,
      Number(db.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.['rows'] ?? 0),
    ]),
  )

/**
 * Copies rows into a database of the same schema; an existing row is replaced.
 * @param which which rows of each table, in SQL; all of them unless given
 */
export function copyRows(
  from: DatabaseSync,
  to: DatabaseSync,
  which: Readonly<Record<string, string>> = Object.fromEntries(
    tableNames(from).map((table) => [table, 'TRUE']),
  ),
): void {
  for (const [table, where] of Object.entries(which)) {
    const columns = names(from, `SELECT name FROM pragma_table_info('${table}')`)
    const insert = to.prepare(
      `INSERT OR REPLACE INTO ${table} (${columns.join()}) VALUES (${columns.map(() => '?').join()})`,
    )
    const all = from.prepare(`SELECT ${columns.join()} FROM ${table} WHERE ${where}`)
    all.setReadBigInts(true)
    for (const row of all.iterate()) insert.run(...columns.map((column) => row[column] ?? null))
  }
}

/** Deletes the oldest tenth of each table's rows. */
export function deleteOldest(db: DatabaseSync, tables: readonly string[]): void {
  for (const table of tables)
    db.exec(
      `DELETE FROM ${table} WHERE rowid IN
        (SELECT rowid FROM ${table} ORDER BY rowid LIMIT (SELECT count(*) / 10 + 1 FROM ${table}))`,
    )
}
