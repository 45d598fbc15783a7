import * as v from 'valibot'
import { parseJson } from '../../lib/json.ts'

/** Called for an unreadable row, such as one that a failing disk has changed. */
export type Skipped = (table: string, error: unknown) => void

/**
 * Reads rows one by one: a damaged one is omitted and reported, so that the others are still shown.
 * @param read throws for a damaged row
 */
export function readableRows<Row, Read>(
  table: string,
  rows: readonly Row[],
  read: (row: Row) => Read,
  skipped: Skipped,
): Read[] {
  return rows.flatMap((row) => {
    try {
      return [read(row)]
    } catch (error) {
      skipped(table, error)
      return []
    }
  })
}

const dataRow = v.object({ data: v.string() })

/** As `readableRows`, of rows whose column `data` is JSON. */
export const readableData = <T>(
  table: string,
  rows: readonly unknown[],
  schema: v.GenericSchema<unknown, T>,
  skipped: Skipped,
): readonly T[] =>
  readableRows(table, rows, (found) => v.parse(schema, parseJson(v.parse(dataRow, found).data)), skipped)
