/**
 * The chat lines of a farm in the storage of its object: those that clients can resume from, under the farm's numbers.
 */

import * as v from 'valibot'
import type { LinkedStore } from '../../bridges/linked/edge-end/linked-game.ts'
import { ChatHistory, keptBytes, keptLines, missedOf } from '../../handlers/chat/history.ts'
import { maxLineNumber } from '../../handlers/chat/line-numbers.ts'
import { chatMessage } from '../../handlers/chat/messages.ts'
import { chatOutage, withOutage } from '../../handlers/chat-outage.ts'
import type { NumberedLine } from '../../handlers/game-event.ts'
import { stringifyJson, utf8Length } from '../../lib/json.ts'

/** The end of the stored lines. */
export interface ChatPosition {
  /** The newest line: its `seq`, which is line `n` of the run `run` of the farm's process. */
  readonly seq: number
  readonly run: string
  readonly n: number
  /** Its row in the ring buffer; -1 before the first line. */
  readonly place: number
  /** Upper bound of the bytes of all stored lines; the exact number is read only when this one is above the limit. */
  readonly bytes: number
}

export interface ChatStore
  extends Pick<LinkedStore, 'follow' | 'addLine' | 'addOutage' | 'newest' | 'keepChat'> {
  /** As `ChatLines.missed`, for a `since` that was given out or surely was not. */
  missed(since: number, before: number): readonly string[]
  /** A new value after each line; undefined while none is known. */
  position(): ChatPosition | undefined
  /** Sets the position that was attached to the link's socket before the object was unloaded. */
  resume(position: ChatPosition): void
  /** Clears the memory; the caller deletes the storage. */
  forget(): void
}

/** A ring buffer: each line replaces the oldest, so one row is written and none is deleted. */
export const linesTable =
  'CREATE TABLE IF NOT EXISTS lines (place INTEGER PRIMARY KEY, seq INTEGER NOT NULL, text TEXT NOT NULL, run TEXT NOT NULL, n INTEGER NOT NULL)'

/** Deletes the oldest lines, so that the others together have no more bytes than the parameter. */
const forgetOldest = `DELETE FROM lines WHERE seq <= (SELECT max(seq) FROM
  (SELECT seq, sum(octet_length(text)) OVER (ORDER BY seq DESC) AS bytes FROM lines) WHERE bytes > ?)`

const heardLine = v.object({ seq: v.number(), text: v.string() })
const newestRow = v.object({ seq: v.number(), run: v.string(), n: v.number(), place: v.number() })

/** The name of the fact that is stored while the text of lines may not be. */
const unkept = 'chatIsNotKept'

interface Storage {
  factOf(name: string): object | undefined
  record<T>(name: string, schema: v.GenericSchema<unknown, T>): T | undefined
  keep(name: string, value: string, at: number): void
  read(statement: string, ...values: (string | number)[]): Readonly<Record<string, unknown>>[]
  write(statement: string, ...values: (string | number)[]): void
}

/** @param now milliseconds since 1970 */
export function chatStore({ factOf, record, keep, read, write }: Storage, now: () => number): ChatStore {
  let found: ChatPosition | undefined
  let mayStore: boolean | undefined
  /** The lines since the object was loaded, while their text may not be stored. */
  let unstored: ChatHistory | undefined
  const keepsText = (): boolean => {
    mayStore ??= factOf(unkept) === undefined
    return mayStore
  }
  const position = (): ChatPosition | undefined => {
    const most = maxLineNumber(now())
    if (found !== undefined && found.seq <= most) return found
    // Earlier releases accepted any number of a farm; one that is made up would end the numbering.
    const isSpoiled =
      found !== undefined || read('SELECT 1 FROM lines WHERE seq > ? LIMIT 1', most).length > 0
    if (isSpoiled) write('DELETE FROM lines WHERE seq > ?', most)
    if (isSpoiled) unstored = undefined
    const [row] = read('SELECT seq, run, n, place FROM lines ORDER BY seq DESC LIMIT 1')
    found = row && { ...v.parse(newestRow, row), bytes: Infinity }
    return found
  }
  const newest = () => position()?.seq ?? 0
  /** The number of the last stored line of a run; 0 for none. */
  const lastOf = (run: string): number => {
    const last = position()
    if (last?.run === run) return last.n
    const [row] = read('SELECT max(n) AS n FROM lines WHERE run = ?', run)
    return typeof row?.['n'] === 'number' ? row['n'] : 0
  }
  const outages = () => record('chatOutages', v.array(chatOutage)) ?? []
  const inMemory = (): ChatHistory | undefined => {
    if (!keepsText() && unstored === undefined) {
      unstored = new ChatHistory(newest() + 1)
      for (const outage of outages()) unstored.addOutage(outage)
    }
    return unstored
  }
  /** Deletes old lines if a new one makes too many bytes. @returns the new `bytes` of the position */
  const withinBytes = (before: number, added: number, seq: number): number => {
    // The row of the newest line is never deleted, because the position is read from it.
    if (added > keptBytes) {
      write('DELETE FROM lines WHERE seq < ?', seq)
      return 0
    }
    const bytes = before + added
    if (bytes <= keptBytes) return bytes
    write(forgetOldest, keptBytes)
    const [row] = read('SELECT sum(octet_length(text)) AS bytes FROM lines')
    return v.parse(v.number(), row?.['bytes'])
  }
  const store = ({ seq, text }: NumberedLine, run: string, n: number): void => {
    const before = position()
    const bytes = utf8Length(text)
    const place = ((before?.place ?? -1) + 1) % keptLines
    write(
      'INSERT OR REPLACE INTO lines (place, seq, text, run, n) VALUES (?, ?, ?, ?, ?)',
      place,
      seq,
      bytes > keptBytes ? '' : text,
      run,
      n,
    )
    found = { seq, run, n, place, bytes: withinBytes(before?.bytes ?? 0, bytes, seq) }
  }

  return {
    newest,
    follow(run, from) {
      // Stored as a line without text: clients learn this number, and the farm sends all lines after it, also those that
      // are said before its next link.
      if (position() === undefined) store({ seq: from - 1, text: '' }, '', from - 1)
      const seq = newest()
      return { heard: lastOf(run) || (found?.n === seq ? seq : 0), newest: seq }
    },
    addLine(run, n, line) {
      if (n <= lastOf(run)) return []
      const expected = newest() + 1
      const seq = Math.max(n, expected)
      const text = chatMessage(line, seq)
      const memory = inMemory()
      memory?.skipTo(seq)
      memory?.add(() => text)
      store({ seq, text: memory === undefined ? text : '' }, run, n)
      const chat = { ...line, seq, text }
      return seq > expected ? [{ type: 'gap', from: expected, to: seq - 1 }, chat] : [chat]
    },
    addOutage(outage) {
      const known = withOutage(outages(), outage)
      if (known === undefined) return []
      keep('chatOutages', stringifyJson(known), now())
      inMemory()?.addOutage(outage)
      return [{ type: 'missed', ...outage }]
    },
    keepChat(keeps) {
      if (keeps === keepsText()) return
      if (keeps) write('DELETE FROM facts WHERE name = ?', unkept)
      else {
        keep(unkept, '', now())
        write("UPDATE lines SET text = '' WHERE text <> ''")
      }
      mayStore = keeps
      unstored = undefined
    },
    missed(since, before) {
      const memory = inMemory()
      if (memory !== undefined) return memory.missed(since, before)
      const rows = since < newest() ? read("SELECT seq, text FROM lines WHERE text <> '' ORDER BY seq") : []
      return missedOf(
        rows.map((row) => v.parse(heardLine, row)),
        outages(),
        newest() + 1,
        since,
        before,
      )
    },
    position,
    resume(attached) {
      found = attached
    },
    forget() {
      found = undefined
      mayStore = undefined
      unstored = undefined
    },
  }
}
