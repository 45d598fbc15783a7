/** Which changes of a fleet come too late to be carried out (docs/edge.md). */
import type { Sql } from './storage.ts'

/** Milliseconds after which a change was answered with 503, so that its operator may have repeated it. */
export const lateAfter = 9000
/** Milliseconds by which clocks may differ, in addition, until the end of a farm's last change is forgotten. */
const clocksDiffer = 60_000

/** The message of the error, which is all that an error keeps on its way from one object to another. */
export const tooLate = 'The change came too late and was not carried out; repeat it'

/** Whether an object has refused a change, also through another one: it was surely not carried out. */
export const isTooLate = (error: unknown): boolean => error instanceof Error && error.message === tooLate

/** @param at when the change was asked for @param now milliseconds since 1970 */
export const isLate = (at: number, now: number): boolean => now - at > lateAfter

/** @throws an error with `tooLate` */
export function refuseLate(at: number, now: number): void {
  if (isLate(at, now)) throw new Error(tooLate)
}

/** Makes its table where it is missing. It also has farms that were deleted. @param now milliseconds since 1970 */
export function changeOrder(sql: Sql, now: () => number) {
  sql.exec('CREATE TABLE IF NOT EXISTS keyChanges (farm TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID')
  return {
    /**
     * Refuses a change that was asked for too long ago, or before the last change of a farm's keys was made.
     * @throws an error with `tooLate`
     */
    check(at: number, farms: readonly string[]): void {
      refuseLate(at, now())
      const newer = sql.exec('SELECT farm FROM keyChanges WHERE at > ?', at).toArray()
      if (newer.some(({ farm }) => farms.includes(String(farm)))) throw new Error(tooLate)
    },
    /** The keys of a farm were changed now, or may have been. */
    changed(farm: string): void {
      sql.exec('INSERT OR REPLACE INTO keyChanges (farm, at) VALUES (?, ?)', farm, now())
      sql.exec('DELETE FROM keyChanges WHERE at < ?', now() - lateAfter - clocksDiffer)
    },
  }
}
