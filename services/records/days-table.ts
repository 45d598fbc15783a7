/** The game's days: when each began and ended in real time, and who was on the farm. */
import type { DatabaseSync } from 'node:sqlite'
import * as v from 'valibot'
import type { HistoryDays } from '../../handlers/history-records.ts'
import { int64 } from '../../handlers/int64.ts'
import { isoTime } from '../../handlers/iso-time.ts'
import type { PageQuery } from '../../handlers/parameter.ts'
import { stringifyJson } from '../../lib/json.ts'
import type { Prune } from './prune.ts'
import { jsonColumn, pageOf, readableRows, readRow, type Skipped } from './readable-rows.ts'

const dayPlayer = v.object({ playerId: int64, name: v.string() })
/** A player of a day. */
export type DayPlayer = Readonly<v.InferOutput<typeof dayPlayer>>

const gameDay = { day: v.number(), season: v.string(), year: v.number() }
const players = jsonColumn(v.array(dayPlayer))
/** A day that has begun; `beganAt` is milliseconds since 1970, and different for each day. */
const openDay = v.object({ beganAt: v.number(), ...gameDay, players })
export type OpenDay = Readonly<v.InferOutput<typeof openDay>>
export type BegunDay = Omit<OpenDay, 'players'>
export type GameDay = Omit<BegunDay, 'beganAt'>

const time = v.pipe(v.number(), v.transform(isoTime))
const shownDay = v.object({ ...gameDay, beganAt: time, endedAt: v.exactOptional(time), players })

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
  return {
    reads: {
      /** The day that began last, unless it has ended. */
      openDay(): OpenDay | undefined {
        const found = newest.get()
        return found?.['endedAt'] === null ? readRow(openDay, found) : undefined
      },
      days({ before = Number.MAX_SAFE_INTEGER, limit }: PageQuery): HistoryDays {
        const { rows, next } = pageOf(page.all(before, limit + 1), limit, 'beganAt')
        return { days: readableRows('days', rows, shownDay, skipped), ...next }
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
