import type { DatabaseSync } from 'node:sqlite'
import type * as v from 'valibot'
import { stringifyJson } from '../../lib/json.ts'
import { readableData, type Skipped } from './readable-rows.ts'

/**
 * A table of records, each as JSON in the column `data`. The row of a deleted record stays without its data, so that a
 * deletion that was made while records were in memory reaches the disk.
 * @param columns members that the table has as columns too
 */
export function dataTable<T extends { readonly id: string }>(
  db: DatabaseSync,
  table: string,
  schema: v.GenericSchema<unknown, T>,
  skipped: Skipped,
  columns: readonly (keyof T & string)[] = [],
) {
  const all = db.prepare(`SELECT data FROM ${table} WHERE deletedAt IS NULL`)
  const put = db.prepare(
    `INSERT INTO ${table} (${['id', 'data', ...columns].join()})
      VALUES (?1, ?2${columns.map((column) => `, ?2 ->> '${column}'`).join('')})
      ON CONFLICT (id) DO UPDATE SET data = excluded.data WHERE deletedAt IS NULL`,
  )
  const remove = db.prepare(`UPDATE ${table} SET deletedAt = ?, data = '' WHERE id = ? AND deletedAt IS NULL`)
  return {
    all: () => readableData(table, all.all(), schema, skipped),
    /** Adds a record, or replaces it; one that was deleted stays so. */
    put: (one: T): void => void put.run(one.id, stringifyJson(one)),
    /** @param at milliseconds since 1970 @returns false when there is no such record */
    remove: (id: string, at: number): boolean => remove.run(at, id).changes > 0,
  }
}
