/** The list of the fleet object: what each farm reported last, and what its operator noted. */

import * as v from 'valibot'
import type { FleetEntry, FleetNotes } from '../../handlers/fleet.ts'
import { foreignValue } from '../../lib/foreign/read.ts'
import { stringifyJson } from '../../lib/json.ts'
import { type FleetReport, fleetReport } from './report.ts'
import type { Sql } from './storage.ts'
import { agesOf, troubleOf } from './trouble.ts'

/** The members of a report after those that have columns. */
const moreOfReport = v.omit(fleetReport, ['linked', 'lastSeen', 'players', 'version'])
const tagList = v.array(v.string())

const row = v.object({
  farm: v.string(),
  createdAt: v.string(),
  linked: v.nullable(v.number()),
  lastSeen: v.nullable(v.number()),
  players: v.nullable(v.number()),
  version: v.nullable(v.string()),
  more: v.nullable(v.string()),
  tags: v.nullable(v.string()),
  note: v.nullable(v.string()),
})

export type FleetList = ReturnType<typeof fleetList>

/** Makes its tables where they are missing. The table `farms` has the farms. */
export function fleetList(sql: Sql) {
  for (const table of [
    // The farms' last reports (`FleetReport`); `at` is when the farm's object made the report.
    'CREATE TABLE IF NOT EXISTS reports (farm TEXT PRIMARY KEY, linked INTEGER NOT NULL, lastSeen INTEGER NOT NULL, players INTEGER NOT NULL, version TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID',
    'CREATE TABLE IF NOT EXISTS notes (farm TEXT PRIMARY KEY, tags TEXT NOT NULL, note TEXT NOT NULL) WITHOUT ROWID',
  ])
    sql.exec(table)
  if (sql.exec("SELECT 1 FROM pragma_table_info('reports') WHERE name = 'more'").toArray().length === 0)
    sql.exec('ALTER TABLE reports ADD COLUMN more TEXT')
  const selected = (filter: string, now: number, ...values: string[]) =>
    sql
      .exec(
        `SELECT farm, createdAt, linked, lastSeen, players, version, more, tags, note
          FROM farms LEFT JOIN reports USING (farm) LEFT JOIN notes USING (farm) ${filter} ORDER BY farm`,
        ...values,
      )
      .toArray()
      .map((found) => entryOf(v.parse(row, found), now))
  const entry = (farm: string, now: number) => selected('WHERE farm = ?', now, farm)[0]
  return {
    /**
     * Stores a report, unless a newer one is stored.
     * @param at when it was made, milliseconds since 1970 by the clock of the farm's object
     */
    report(farm: string, { linked, lastSeen, players, version, ...more }: FleetReport, at: number) {
      sql.exec(
        `INSERT INTO reports (farm, linked, lastSeen, players, version, at, more) VALUES (?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT (farm) DO UPDATE SET linked = excluded.linked, lastSeen = excluded.lastSeen,
          players = excluded.players, version = excluded.version, at = excluded.at, more = excluded.more
          WHERE excluded.at > at`,
        ...[farm, Number(linked), lastSeen, players, version, at, stringifyJson(more)],
      )
    },
    note(farm: string, notes: FleetNotes) {
      const { tags, note = '' } = { ...entry(farm, 0), ...notes }
      const unique = [...new Set(tags)]
      sql.exec(
        'INSERT OR REPLACE INTO notes (farm, tags, note) VALUES (?, ?, ?)',
        farm,
        stringifyJson(unique),
        note,
      )
    },
    /** Deletes everything that is known of a farm. */
    forget(farm: string) {
      for (const table of ['reports', 'notes']) sql.exec(`DELETE FROM ${table} WHERE farm = ?`, farm)
    },
    /** All farms, sorted by name. @param now milliseconds since 1970 */
    entries: (now: number): FleetEntry[] => selected('', now),
    /** @returns undefined when the farm is not listed */
    entry,
  }
}

function entryOf(
  { farm, createdAt, linked, lastSeen, players, version, more, tags, note }: v.InferOutput<typeof row>,
  now: number,
): FleetEntry {
  const report: FleetReport | undefined =
    linked === null || lastSeen === null || players === null || version === null
      ? undefined
      : {
          ...v.parse(v.fallback(moreOfReport, {}), foreignValue(more ?? '{}')),
          linked: linked === 1,
          lastSeen,
          players,
          version,
        }
  return {
    farm,
    createdAt,
    linked: report?.linked === true,
    trouble: troubleOf({ createdAt: Date.parse(createdAt), report }, now),
    ...(report !== undefined && {
      lastSeen: new Date(report.lastSeen).toISOString(),
      players: report.players,
      ...(report.maxPlayers !== undefined && { maxPlayers: report.maxPlayers }),
      version: report.version,
      ...(report.upkeep !== undefined && { farmgateVersion: report.upkeep.version }),
      ...agesOf(report, now),
    }),
    tags: v.parse(v.fallback(tagList, []), foreignValue(tags ?? '[]')),
    ...(note !== null && note !== '' && { note }),
  }
}
