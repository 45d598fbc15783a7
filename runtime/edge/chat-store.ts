/** The chat lines of a farm in the storage of its object: those that clients can resume from, and the last number given. */
import * as v from 'valibot'
import {
  bytesOf,
  ChatHistory,
  type HeardLine,
  keptBytes,
  keptLines,
  type Missed,
} from '../../handlers/chat/history.ts'

/** The newest chat line: line `n` of the run `run` of the farm's process, and the `seq` of the line after it. */
export interface ChatPosition {
  readonly run: string
  readonly n: number
  readonly next: number
  /** Upper bound of the bytes of all stored lines; the exact number is read only when this one is above the limit. */
  readonly bytes: number
}

export interface ChatStore {
  /** Number of the last chat line that is stored of a run of the farm's process; 0 for none. */
  heard(run: string): number
  /** Called before `addLine`, in the same turn of the event loop. */
  keepHeard(run: string, n: number): void
  /**
   * Whether the text of lines may be stored. If not, what is stored is deleted, and lines are kept in memory until the
   * object is unloaded; their numbers are stored all the same.
   */
  keepChat(keeps: boolean): void
  /** Numbers the line of the last `keepHeard`, and stores it. @param first the `seq` of the farm's first line */
  addLine(compose: (seq: number) => string, first: number): HeardLine
  /** The `seq` that the next line will have. */
  nextLine(first: number): number
  missedSince(since: number, first: number): Missed
  /** A new value after each line; undefined while no line was stored since the object was loaded. */
  position(): ChatPosition | undefined
  /** Sets the position that was attached to the link's socket before the object was unloaded. */
  resume(position: ChatPosition): void
  /** Clears what is in memory; the caller deletes the storage. */
  forget(): void
}

/** Deletes the oldest lines, so that the others together have no more bytes than the parameter. */
const forgetOldest = `DELETE FROM lines WHERE seq <= (SELECT max(seq) FROM
  (SELECT seq, sum(octet_length(text)) OVER (ORDER BY seq DESC) AS bytes FROM lines) WHERE bytes > ?)`

const heardLine = v.object({ seq: v.number(), text: v.string() })

/** The name of the fact that is stored while the text of lines may not be. */
const unkept = 'chatIsNotKept'

interface Storage {
  factOf(name: string): object | undefined
  keep(name: string, value: string, at: number): void
  read(statement: string, ...values: (string | number)[]): Record<string, SqlStorageValue>[]
  write(statement: string, ...values: (string | number)[]): void
}

/** @param now milliseconds since 1970 */
export function chatStore({ factOf, keep, read, write }: Storage, now: () => number): ChatStore {
  const heard = new Map<string, number>()
  /** The line of the last `keepHeard`; `addLine` stores it. */
  let newest = { run: '', n: 0 }
  let next: number | undefined
  let position: ChatPosition | undefined
  let mayStore: boolean | undefined
  /** The lines since the object was loaded, while their text may not be stored. */
  let unstored: ChatHistory | undefined
  const keepsText = (): boolean => {
    mayStore ??= factOf(unkept) === undefined
    return mayStore
  }
  const nextLine = (first: number): number => {
    if (next === undefined) {
      const [row] = read('SELECT max(seq) AS seq FROM lines')
      const last = typeof row?.['seq'] === 'number' ? row['seq'] : undefined
      next = last === undefined ? first : last + 1
    }
    return next
  }
  const inMemory = (first: number): ChatHistory | undefined => {
    if (!keepsText()) unstored ??= new ChatHistory(nextLine(first))
    return unstored
  }
  /** Deletes old lines if a new one makes too many bytes. @returns the new `bytes` of the position */
  const withinBytes = (added: number, seq: number): number => {
    // The row of the newest line is never deleted, because `heard` reads the farm's number of the line from it.
    if (added > keptBytes) {
      write('DELETE FROM lines WHERE seq < ?', seq)
      return 0
    }
    const bytes = (position?.bytes ?? Infinity) + added
    if (bytes <= keptBytes) return bytes
    write(forgetOldest, keptBytes)
    const [row] = read('SELECT sum(octet_length(text)) AS bytes FROM lines')
    return v.parse(v.number(), row?.['bytes'])
  }
  const store = ({ seq }: HeardLine, text: string): void => {
    const bytes = bytesOf(text)
    write(
      'INSERT OR REPLACE INTO lines (place, seq, text, run, n) VALUES (?, ?, ?, ?, ?)',
      seq % keptLines,
      seq,
      bytes > keptBytes ? '' : text,
      newest.run,
      newest.n,
    )
    next = seq + 1
    position = { ...newest, next, bytes: withinBytes(bytes, seq) }
  }

  return {
    heard(run) {
      let last = heard.get(run)
      if (last === undefined) {
        const [row] = read('SELECT max(n) AS n FROM lines WHERE run = ?', run)
        last = typeof row?.['n'] === 'number' ? row['n'] : 0
        heard.set(run, last)
      }
      return last
    },
    keepHeard(run, n) {
      heard.set(run, n)
      newest = { run, n }
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
    addLine(compose, first) {
      const memory = inMemory(first)
      if (memory !== undefined) {
        const line = memory.add(compose)
        store(line, '')
        return line
      }
      const seq = nextLine(first)
      const line = { seq, text: compose(seq) }
      store(line, line.text)
      return line
    },
    nextLine,
    missedSince(since, first) {
      const memory = inMemory(first)
      if (memory !== undefined) return memory.missedSince(since)
      const rows = read("SELECT seq, text FROM lines WHERE text <> '' ORDER BY seq")
      const lines = rows.map((row) => v.parse(heardLine, row))
      return new ChatHistory(nextLine(first), lines).missedSince(since)
    },
    position: () => position,
    resume(found) {
      position = found
      next = found.next
      heard.set(found.run, found.n)
    },
    forget() {
      heard.clear()
      next = undefined
      position = undefined
      mayStore = undefined
      unstored = undefined
    },
  }
}
