/** The chat lines of the game with their numbers, and the number up to which lines may have been numbered. */
import type { DatabaseSync } from 'node:sqlite'
import * as v from 'valibot'
import { type ChatOutage, chatOutage, keptOutages } from '../../handlers/chat-outage.ts'
import type { NumberedLine } from '../../handlers/game-event.ts'
import { type HistoryChat, keptMessage } from '../../handlers/history-records.ts'
import type { PageQuery } from '../../handlers/parameter.ts'
import { stringifyJson } from '../../lib/json.ts'
import { numbersTable, readable } from './numbers-table.ts'
import type { Prune } from './prune.ts'
import { jsonColumn, pageOf, readableData, readableRows, type Skipped } from './readable-rows.ts'

const line = v.object({ seq: v.number(), text: v.string() })
const shownLine = v.object({ text: jsonColumn(keptMessage) })

export function chatTable(db: DatabaseSync, skipped: Skipped) {
  const insert = db.prepare('INSERT OR REPLACE INTO chat (seq, at, text) VALUES (?, ?, ?)')
  const page = db.prepare('SELECT seq, text FROM chat WHERE seq < ? ORDER BY seq DESC LIMIT ?')
  const numbers = numbersTable(db)
  const forgetNext = db.prepare("DELETE FROM numbers WHERE name = 'nextChatLine' AND value > ?")
  const renumber = db.prepare(`
    UPDATE chat SET seq = fresh.seq, text = json_set(text, '$.payload.seq', fresh.seq)
    FROM (
      SELECT chat.seq AS old, row_number() OVER (ORDER BY at, chat.seq) + max(
        ?2 - 1 - count(*) OVER (), (SELECT coalesce(max(seq), 0) FROM chat WHERE seq <= ?1)
      ) AS seq
      FROM chat WHERE chat.seq > ?1
    ) AS fresh
    WHERE chat.seq = fresh.old`)
  const old = db.prepare(
    'DELETE FROM chat WHERE seq IN (SELECT seq FROM chat WHERE at < ? ORDER BY at LIMIT ?)',
  )
  const outages = db.prepare('SELECT data FROM chatOutages ORDER BY id')
  // The id is the time, so that outages that were kept in memory do not replace others on the disk.
  const addOutage = db.prepare('INSERT OR REPLACE INTO chatOutages (id, data) VALUES (?, ?)')
  const forgetOutages = db.prepare(
    `DELETE FROM chatOutages WHERE id NOT IN (SELECT id FROM chatOutages ORDER BY id DESC LIMIT ${keptOutages})`,
  )
  return {
    reads: {
      /** The newest lines and outages, oldest first, and the stored numbers. */
      keptChat(limit: number) {
        return {
          next: numbers.reads.keptNumber('nextChatLine'),
          stoppedAt: numbers.reads.keptNumber('chatStoppedAt'),
          heardAt: numbers.reads.keptNumber('chatHeardAt'),
          outages: readableData('chatOutages', outages.all(), chatOutage, skipped),
          lines: page
            .all(Number.MAX_SAFE_INTEGER, limit)
            .map((found) => v.parse(line, found))
            .reverse(),
        }
      },
      chat({ before = Number.MAX_SAFE_INTEGER, limit }: PageQuery): HistoryChat {
        const { rows, next } = pageOf(page.all(before, limit + 1), limit, 'seq')
        const lines = readableRows('chat', rows, shownLine, skipped).map(({ text }) => text.payload)
        return { lines, ...next }
      },
    },
    writes: {
      /**
       * Forgets numbers above `most`, also those that could not be read.
       * @param below the lines that had them get the numbers before it, or after the others, by their time
       */
      boundChat(most: number, below: number): void {
        forgetNext.run(readable(most))
        renumber.run(most, readable(below))
      },
      /**
       * After a restart, lines are numbered from `next`.
       * @param stoppedAt when the numbering process stopped, milliseconds since 1970
       */
      numberChatFrom(next: number, stoppedAt?: number): void {
        numbers.later.keepNumber('nextChatLine', next)
        numbers.later.keepNumber('chatStoppedAt', stoppedAt)
      },
    },
    later: {
      chatLine({ seq, text }: NumberedLine, at: number): void {
        insert.run(readable(seq), at, text)
      },
      chatOutage(outage: ChatOutage): void {
        addOutage.run(Date.parse(outage.to), stringifyJson(outage))
        forgetOutages.run()
      },
    },
    prunes: [
      { kept: 'chat', run: (before: number, limit: number) => void old.run(before, limit) },
    ] satisfies Prune[],
  }
}
