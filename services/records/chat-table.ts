/** The chat lines of the game with their numbers, and the number up to which lines may have been numbered. */

import type { DatabaseSync } from 'node:sqlite'
import * as v from 'valibot'
import type { HeardLine } from '../../handlers/game-event.ts'
import { type HistoryChat, keptMessage } from '../../handlers/history-records.ts'
import type { PageQuery } from '../../handlers/parameter.ts'
import { parseJson } from '../../lib/json.ts'
import { numbersTable } from './numbers-table.ts'
import type { Prune } from './prune.ts'
import { readableRows, type Skipped } from './readable-rows.ts'

const row = v.object({ seq: v.number(), text: v.string() })

export function chatTable(db: DatabaseSync, skipped: Skipped) {
  const insert = db.prepare('INSERT OR REPLACE INTO chat (seq, at, text) VALUES (?, ?, ?)')
  const page = db.prepare('SELECT seq, text FROM chat WHERE seq < ? ORDER BY seq DESC LIMIT ?')
  const numbers = numbersTable(db)
  const old = db.prepare(
    'DELETE FROM chat WHERE seq IN (SELECT seq FROM chat WHERE at < ? ORDER BY at LIMIT ?)',
  )
  const newest = (before: number, limit: number) =>
    page.all(before, limit).map((found) => v.parse(row, found))
  return {
    reads: {
      /** The newest lines, oldest first, and what `numberChatFrom` has stored last. */
      keptChat(limit: number) {
        return {
          next: numbers.reads.keptNumber('nextChatLine'),
          stoppedAt: numbers.reads.keptNumber('chatStoppedAt'),
          lines: newest(Number.MAX_SAFE_INTEGER, limit).reverse(),
        }
      },
      chat({ before = Number.MAX_SAFE_INTEGER, limit }: PageQuery): HistoryChat {
        const rows = newest(before, limit + 1)
        const last = rows[limit - 1]
        return {
          lines: readableRows(
            'chat',
            rows.slice(0, limit),
            ({ text }) => v.parse(keptMessage, parseJson(text)).payload,
            skipped,
          ),
          ...(rows.length > limit && last !== undefined && { next: String(last.seq) }),
        }
      },
    },
    writes: {
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
      chatLine({ seq, text }: HeardLine, at: number): void {
        insert.run(seq, at, text)
      },
    },
    prunes: [
      { kept: 'chat', run: (before: number, limit: number) => void old.run(before, limit) },
    ] satisfies Prune[],
  }
}
