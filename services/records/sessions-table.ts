/** Player totals are computed from the retained sessions. */
import type { DatabaseSync } from 'node:sqlite'
import * as v from 'valibot'
import { connection } from '../../handlers/game-records.ts'
import {
  type HistoryPlayers,
  type HistorySessions,
  type SessionsQuery,
  sessionEnds,
} from '../../handlers/history-records.ts'
import { int64 } from '../../handlers/int64.ts'
import { isoTime } from '../../handlers/iso-time.ts'
import type { Prune } from './prune.ts'
import { pageOf, readableRows, type Skipped } from './readable-rows.ts'

export type SessionEnd = (typeof sessionEnds)[number]

const count = v.pipe(
  v.bigint(),
  v.transform((value) => Number(value)),
)
const player = { playerId: int64, name: v.string() }

/** A session that has not ended. Times are milliseconds since 1970. */
const open = v.object({
  id: count,
  ...player,
  joinedAt: count,
  /** When the player was last known to be on the farm. */
  seenAt: count,
  /** Milliseconds played until then. */
  played: count,
})
export type OpenSession = Readonly<v.InferOutput<typeof open>>

export interface BegunSession extends OpenSession {
  readonly joinPath?: string
}

/** How far a session has come, or how it ended. */
export type SessionProgress = Pick<OpenSession, 'id' | 'playerId' | 'name' | 'seenAt' | 'played'>

const time = v.pipe(count, v.transform(isoTime))
const shownSession = v.object({
  ...player,
  joinedAt: time,
  leftAt: v.exactOptional(time),
  joinPath: v.exactOptional(connection.entries.joinPath),
  ended: v.exactOptional(v.picklist(sessionEnds)),
})
const seenPlayer = v.object({
  ...player,
  firstSeen: time,
  lastSeen: time,
  minutesPlayed: count,
  sessions: count,
})

const sessionPlayer = v.object({ playerId: int64 })

/** Maximum of players in one answer of `playersSeen`. */
const maxPlayers = 1000

export function sessionsTable(db: DatabaseSync, skipped: Skipped) {
  /** Ids of players have more digits than a number can carry. */
  const exact = (sql: string) => {
    const statement = db.prepare(sql)
    statement.setReadBigInts(true)
    return statement
  }
  const begin = db.prepare(
    `INSERT INTO sessions (id, playerId, name, joinedAt, seenAt, played, joinPath) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const see = db.prepare('UPDATE sessions SET name = ?, seenAt = ?, played = ? WHERE id = ?')
  const end = db.prepare(
    'UPDATE sessions SET name = ?, seenAt = ?, played = ?, leftAt = ?, ended = ? WHERE id = ? AND ended IS NULL',
  )
  const unended = exact('SELECT * FROM sessions WHERE ended IS NULL ORDER BY id')
  const newest = db.prepare('SELECT max(id) AS id FROM sessions')
  const firstUnended = db.prepare('SELECT min(id) AS id FROM sessions WHERE leftAt IS NULL')
  const longestEnded = db.prepare('SELECT max(leftAt - joinedAt) AS length FROM sessions')
  const page = (where: string) =>
    exact(
      `SELECT * FROM sessions WHERE id < ?1 AND id >= ?2 AND joinedAt <= ?3
        AND (leftAt >= ?4 OR leftAt IS NULL) ${where} ORDER BY id DESC LIMIT ?5`,
    )
  const ofAll = page('')
  const ofPlayer = page('AND playerId = ?6')
  const sum = db.prepare(
    `INSERT OR REPLACE INTO playersSeen
      SELECT playerId, (SELECT name FROM sessions WHERE playerId = ?1 ORDER BY id DESC LIMIT 1),
        min(joinedAt), max(seenAt), sum(played), count(*) FROM sessions WHERE playerId = ?1 GROUP BY playerId`,
  )
  const forgetPlayer = db.prepare('DELETE FROM playersSeen WHERE playerId = ?')
  const everybody = exact('SELECT DISTINCT playerId FROM sessions')
  const players = exact(
    'SELECT *, played / 60000 AS minutesPlayed FROM playersSeen ORDER BY lastSeen DESC LIMIT ?',
  )
  const old = exact(`DELETE FROM sessions WHERE id IN
    (SELECT id FROM sessions WHERE leftAt < ? ORDER BY leftAt LIMIT ?) RETURNING playerId`)

  /**
   * Milliseconds of the longest session; with it a page need not read all older sessions. Undefined: must be read
   * again.
   */
  let longest: number | undefined
  /** An id below which no session lasted until a time; ids are microseconds, and never below the time of joining. */
  const oldestId = (from: number | undefined): number => {
    if (from === undefined) return 0
    longest ??= Number(longestEnded.get()?.['length'] ?? 0)
    const open = firstUnended.get()?.['id']
    return Math.min((from - longest) * 1000, typeof open === 'number' ? open : Number.MAX_SAFE_INTEGER)
  }
  const forgetOld = (before: number, limit: number): void => {
    const removed = old.all(before, limit).map((found) => v.parse(sessionPlayer, found).playerId)
    for (const playerId of new Set(removed)) {
      forgetPlayer.run(playerId)
      sum.run(playerId)
    }
  }
  return {
    reads: {
      /** The id of the session that began last; 0 for none. */
      newestSession: (): number => Number(newest.get()?.['id'] ?? 0),
      openSessions: (): readonly OpenSession[] => readableRows('sessions', unended.all(), open, skipped),
      sessions({ before, limit, from, to, playerId }: SessionsQuery): HistorySessions {
        const bounds = [
          before ?? Number.MAX_SAFE_INTEGER,
          oldestId(from),
          to ?? Number.MAX_SAFE_INTEGER,
          from ?? Number.MIN_SAFE_INTEGER,
          limit + 1,
        ] as const
        const found = playerId === undefined ? ofAll.all(...bounds) : ofPlayer.all(...bounds, playerId)
        const { rows, next } = pageOf(found, limit, 'id')
        return { sessions: readableRows('sessions', rows, shownSession, skipped), ...next }
      },
      playersSeen: (): HistoryPlayers => ({
        players: players.all(maxPlayers).map((found) => v.parse(seenPlayer, found)),
      }),
    },
    later: {
      sessionBegan({ id, playerId, name, joinedAt, seenAt, played, joinPath }: BegunSession): void {
        begin.run(id, playerId, name, joinedAt, seenAt, played, joinPath ?? null)
        sum.run(playerId)
      },
      sessionSeen({ id, playerId, name, seenAt, played }: SessionProgress): void {
        see.run(name, seenAt, played, id)
        sum.run(playerId)
      },
      sessionEnded({ id, playerId, name, seenAt, played }: SessionProgress, ended: SessionEnd): void {
        end.run(name, seenAt, played, seenAt, ended, id)
        sum.run(playerId)
        longest = undefined
      },
    },
    /** Each database has only the totals of its own sessions. */
    copied(): void {
      db.exec('DELETE FROM playersSeen')
      for (const { playerId } of everybody.all()) sum.run(v.parse(int64, playerId))
    },
    prunes: [{ kept: 'history', run: forgetOld }] satisfies Prune[],
  }
}
