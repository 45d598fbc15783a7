/** The chat lines of the game with their numbers, and the number up to which lines may have been numbered. */
import type { DatabaseSync } from 'node:sqlite'
import * as v from 'valibot'
import type { HeardLine } from '../../handlers/chat/history.ts'
import { type HistoryChat, historyChat } from '../../handlers/history-records.ts'
import type { PageQuery } from '../../handlers/parameter.ts'
import { parseJson } from '../../lib/json.ts'
import type { Prune } from './prune.ts'
import { readableRows, type Skipped } from './readable-rows.ts'

const row = v.object({ seq: v.number(), text: v.string() })
/** The `chat` message of `/ws`. */
const message = v.object({ payload: historyChat.entries.lines.item })

export function chatTable(db: DatabaseSync, skipped: Skipped) {
  const insert = db.prepare('INSERT OR REPLACE INTO chat (seq, at, text) VALUES (?, ?, ?)')
  const page = db.prepare('SELECT seq, text FROM chat WHERE seq < ? ORDER BY seq DESC LIMIT ?')
  const number = db.prepare("SELECT value FROM numbers WHERE name = 'nextChatLine'")
  const setNumber = db.prepare("INSERT OR REPLACE INTO numbers (name, value) VALUES ('nextChatLine', ?)")
  const old = db.prepare(
    'DELETE FROM chat WHERE seq IN (SELECT seq FROM chat WHERE at < ? ORDER BY at LIMIT ?)',
  )
  const newest = (before: number, limit: number) =>
    page.all(before, limit).map((found) => v.parse(row, found))
  return {
    reads: {
      /** The newest lines, oldest first, and the number that the next one may have; undefined before the first. */
      keptChat(limit: number): { readonly next: number | undefined; readonly lines: readonly HeardLine[] } {
        const value = number.get()?.['value']
        return {
          next: typeof value === 'number' ? value : undefined,
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
            ({ text }) => v.parse(message, parseJson(text)).payload,
            skipped,
          ),
          ...(rows.length > limit && last !== undefined && { next: String(last.seq) }),
        }
      },
    },
    writes: {
      /** Lines are numbered from `next` on after a restart. */
      numberChatFrom(next: number): void {
        setNumber.run(next)
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
