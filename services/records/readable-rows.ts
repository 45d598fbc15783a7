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
