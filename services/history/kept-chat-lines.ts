/**
 * The chat lines of the farm's own `/ws`: numbered in memory and kept in the records, so that clients can resume after a
 * restart. Numbers never step back, also when the process ended before its last lines were on the disk: a block of
 * numbers is reserved on the disk before it is used.
 */
import { ChatHistory, type ChatLines, type HeardLine, keptLines } from '../../handlers/chat/history.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'

/** Numbers that are reserved at once. After a `kill -9` up to so many are left out, and told as a gap. */
const block = 1000
/** Milliseconds in which the records have to answer at the start. */
const startTimeout = 2000

export interface ChatCalls {
  keptChat(
    limit: number,
  ): Promise<{ readonly next: number | undefined; readonly lines: readonly HeardLine[] }>
  numberChatFrom(next: number): Promise<unknown>
}

export interface ChatLater {
  chatLine(line: HeardLine, at: number): void
}

export interface KeptChatLines extends ChatLines {
  /** Records the exact number of the next line. */
  close(): Promise<void>
}

/**
 * Reads the lines from before. Without them (new, or records that do not answer) numbers begin at the time in
 * microseconds since 1970, which is greater than every number given out before, and far below 2^53.
 * @param keep `CHAT_KEEP`: whether lines are written to the disk; their numbers always are
 * @param now milliseconds since 1970
 */
export async function keptChatLines(
  { calls, later }: { readonly calls: ChatCalls; readonly later: ChatLater },
  keep: boolean,
  now: () => number,
): Promise<KeptChatLines> {
  const before = await withTimeLimit(
    startTimeout,
    calls.keptChat(keptLines),
    () => new Error('too late'),
  ).catch(() => undefined)
  const first = before?.next ?? now() * 1000
  const history = new ChatHistory(first, keep ? before?.lines : [])
  let reserved = first
  const reserve = (next: number): Promise<unknown> => {
    reserved = next
    return calls.numberChatFrom(next).catch(() => undefined)
  }
  await reserve(first + block)
  return {
    get next() {
      return history.next
    },
    add(compose) {
      const line = history.add(compose)
      if (keep) later.chatLine(line, now())
      if (line.seq + block / 2 >= reserved) void reserve(line.seq + block)
      return line
    },
    missedSince: (since) => history.missedSince(since),
    close: async () => void (await reserve(history.next)),
  }
}
