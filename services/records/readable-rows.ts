import type { SQLOutputValue } from 'node:sqlite'
import * as v from 'valibot'
import { parseJson } from '../../lib/json.ts'

/** Called for an unreadable row, such as one that a failing disk has changed. */
export type Skipped = (table: string, error: unknown) => void

export type Row = Readonly<Record<string, SQLOutputValue>>

export const blob = v.custom<Uint8Array>((value) => value instanceof Uint8Array)

/** A column with JSON. */
export const jsonColumn = <T>(schema: v.GenericSchema<unknown, T>) =>
  v.pipe(
    v.string(),
    v.transform((text): unknown => parseJson(text)),
    schema,
  )

/** Reads a row; a member whose column is NULL is missing. @throws for a damaged row */
export function readRow<T>(schema: v.GenericSchema<unknown, T>, row: Row): T {
  const present: Record<string, SQLOutputValue> = {}
  // `Object.entries` would take a third more time for a page.
  for (const column in row) {
    const value = row[column] ?? null
    if (value !== null) present[column] = value
  }
  return v.parse(schema, present, { abortEarly: true })
}

/** Reads rows one by one: a damaged one is omitted and reported, so that the others are still shown. */
export const readableRows = <T>(
  table: string,
  rows: readonly Row[],
  schema: v.GenericSchema<unknown, T>,
  skipped: Skipped,
): T[] =>
  rows.flatMap((row) => {
    try {
      return [readRow(schema, row)]
    } catch (error) {
      skipped(table, error)
      return []
    }
  })

/** As `readableRows`, of rows whose column `data` is JSON. */
export const readableData = <T>(
  table: string,
  rows: readonly Row[],
  schema: v.GenericSchema<unknown, T>,
  skipped: Skipped,
): readonly T[] =>
  readableRows(table, rows, v.object({ data: jsonColumn(schema) }), skipped).map(({ data }) => data)

/**
 * The rows of a page, and the `before` of the next one.
 * @param found one row more than `limit` where there is a next page
 * @param place the column by which the pages are ordered
 */
export function pageOf(found: readonly Row[], limit: number, place: string) {
  const rows = found.slice(0, limit)
  return { rows, next: found.length > limit ? { next: String(rows.at(-1)?.[place]) } : {} }
}
