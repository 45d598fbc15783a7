/** The game's days: when each began and ended in real time, and who was on the farm. */
import type { DatabaseSync } from 'node:sqlite'
import * as v from 'valibot'
import type { HistoryDays } from '../../handlers/history-records.ts'
import { int64 } from '../../handlers/int64.ts'
import { isoTime } from '../../handlers/iso-time.ts'
import type { PageQuery } from '../../handlers/parameter.ts'
import { parseJson, stringifyJson } from '../../lib/json.ts'
import type { Prune } from './prune.ts'
import { readableRows, type Skipped } from './readable-rows.ts'

export interface GameDay {
  readonly day: number
  readonly season: string
  readonly year: number
}

/** A day that has begun; `beganAt` is milliseconds since 1970, and different for each day. */
export interface BegunDay extends GameDay {
  readonly beganAt: number
}

/** A player of a day. */
export interface DayPlayer {
  readonly playerId: bigint
  readonly name: string
}

const row = v.object({
  beganAt: v.number(),
  day: v.number(),
  season: v.string(),
  year: v.number(),
  endedAt: v.nullable(v.number()),
  players: v.string(),
})
const players = v.array(v.object({ playerId: int64, name: v.string() }))

export function daysTable(db: DatabaseSync, skipped: Skipped) {
  const begin = db.prepare(
    `INSERT OR REPLACE INTO days (beganAt, day, season, year, players) VALUES (?, ?, ?, ?, '[]')`,
  )
  const end = db.prepare('UPDATE days SET endedAt = ? WHERE beganAt = ?')
  const setPlayers = db.prepare('UPDATE days SET players = ? WHERE beganAt = ?')
  const newest = db.prepare('SELECT * FROM days ORDER BY beganAt DESC LIMIT 1')
  const page = db.prepare('SELECT * FROM days WHERE beganAt < ? ORDER BY beganAt DESC LIMIT ?')
  const old = db.prepare(`DELETE FROM days WHERE beganAt IN
    (SELECT beganAt FROM days WHERE beganAt < ? ORDER BY beganAt LIMIT ?)`)
  const playersOf = (found: v.InferOutput<typeof row>) => v.parse(players, parseJson(found.players))
  return {
    reads: {
      /** The day that began last, unless it has ended. */
      openDay(): (BegunDay & { readonly players: readonly DayPlayer[] }) | undefined {
        const found = newest.get()
        if (found === undefined) return undefined
        const { endedAt, ...day } = v.parse(row, found)
        return endedAt === null ? { ...day, players: playersOf({ endedAt, ...day }) } : undefined
      },
      days({ before = Number.MAX_SAFE_INTEGER, limit }: PageQuery): HistoryDays {
        const rows = page.all(before, limit + 1).map((found) => v.parse(row, found))
        const last = rows[limit - 1]
        return {
          days: readableRows(
            'days',
            rows.slice(0, limit),
            (found) => ({
              day: found.day,
              season: found.season,
              year: found.year,
              beganAt: isoTime(found.beganAt),
              ...(found.endedAt !== null && { endedAt: isoTime(found.endedAt) }),
              players: playersOf(found),
            }),
            skipped,
          ),
          ...(rows.length > limit && last !== undefined && { next: String(last.beganAt) }),
        }
      },
    },
    later: {
      dayBegan({ beganAt, day, season, year }: BegunDay): void {
        begin.run(beganAt, day, season, year)
      },
      dayEnded(beganAt: number, endedAt: number): void {
        end.run(endedAt, beganAt)
      },
      dayPlayers(beganAt: number, present: readonly DayPlayer[]): void {
        setPlayers.run(stringifyJson(present), beganAt)
      },
    },
    prunes: [
      { kept: 'history', run: (before: number, limit: number) => void old.run(before, limit) },
    ] satisfies Prune[],
  }
}
