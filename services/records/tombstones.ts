/**
 * The rows of what was deleted. They stay so that a deletion that was made while records were in memory reaches the
 * disk, and so that a call that began before it does not write the row again. On the disk, after a day, they do
 * neither.
 */
import type { DatabaseSync } from 'node:sqlite'

/** The time of a deletion, by table. */
const deletedAt = {
  keys: 'revokedAt',
  webhooks: 'deletedAt',
  discordServers: 'unboundAt',
  schedules: 'deletedAt',
  accounts: 'deletedAt',
  invitations: 'deletedAt',
} as const

/** Milliseconds. */
const kept = 86_400_000
/** Maximum of rows of each table that are removed at once. */
const rowsAtOnce = 500

/** @returns removes some of them; call it once a minute, while the database is on the disk @param now milliseconds since 1970 */
export function tombstones(db: DatabaseSync): (now: number) => void {
  const removals = Object.entries(deletedAt).map(([table, column]) =>
    db.prepare(
      `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE ${column} <= ? LIMIT ${rowsAtOnce})`,
    ),
  )
  return (now) => {
    for (const removal of removals) removal.run(now - kept)
  }
}
