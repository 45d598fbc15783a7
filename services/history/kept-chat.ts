/**
 * The chat lines of the farm, numbered once and stored in the records, so that clients and the edge can resume after a
 * restart. Numbers never go backwards:
 *
 * - A block of numbers is reserved on the disk before it is used.
 * - After a regular stop they continue without a gap, unless the process was stopped for long: then the records may
 *   have been restored from a copy.
 * - Otherwise (`kill -9`, new or lost records, records from before the present numbering) they continue at the time in
 *   microseconds since 1970, which is greater than every earlier number, or after the reserved block if the clock was
 *   set back.
 * - Numbers above `maxLineNumber` are made up: earlier releases accepted them from an edge. Their lines get numbers below
 *   the time, in the order in which they were said.
 *
 * A time in which the chat was not heard, also that between two processes, is an outage: its lines may be missing.
 */
import { farmChat } from '../../handlers/chat/farm-chat.ts'
import { ChatHistory, keptLines } from '../../handlers/chat/history.ts'
import { maxLineNumber } from '../../handlers/chat/line-numbers.ts'
import type { ChatOutage } from '../../handlers/chat-outage.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { GameEvent, NumberedLine } from '../../handlers/game-event.ts'
import { isoTime } from '../../handlers/iso-time.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'

/** Size of a reserved block of numbers. */
const block = 1000
/** Milliseconds in which the records must answer at the start. */
const startTimeout = 2000
/** Milliseconds that a clock may be set back without a stored number, at most `maxLineNumber` then, being made up. */
const tolerance = 60_000
/** Maximum of milliseconds that the process may be stopped without a gap in the numbers. */
const shortStop = 10 * 60_000
/** Milliseconds between two notes in the records that the chat is heard: an outage may begin so much too early. */
const noteEvery = 60_000

export interface ChatCalls {
  /**
   * Forgets stored numbers above `most`.
   * @param below the lines that had them get the numbers before it, or after the others
   */
  boundChat(most: number, below: number): Promise<unknown>
  keptChat(limit: number): Promise<{
    /** Greater than every number given out. */
    readonly next: number | undefined
    /** When `next` was stored as the exact number of the next line, milliseconds since 1970. */
    readonly stoppedAt: number | undefined
    /** Until when the chat was surely heard, milliseconds since 1970. */
    readonly heardAt: number | undefined
    readonly outages: readonly ChatOutage[]
    readonly lines: readonly NumberedLine[]
  }>
  /** @param stoppedAt when the last line of this process was said; undefined while more may follow */
  numberChatFrom(next: number, stoppedAt?: number): Promise<unknown>
}

export interface ChatLater {
  chatLine(line: NumberedLine, at: number): void
  chatOutage(outage: ChatOutage): void
  keepNumber(name: 'chatHeardAt', at: number): void
}

/**
 * Reads the earlier lines, and numbers those of the game from now on.
 * @param keep `CHAT_KEEP`: whether lines are written to the disk; their numbers always are
 * @param now milliseconds since 1970
 */
export async function keptChat(
  game: Pick<GameBridge, 'subscribe' | 'health'>,
  { calls, later }: { readonly calls: ChatCalls; readonly later: ChatLater },
  keep: boolean,
  now: () => number,
) {
  const before = await withTimeLimit(
    startTimeout,
    calls.boundChat(maxLineNumber(now() + tolerance), now() * 1000).then(() => calls.keptChat(keptLines)),
    () => new Error('too late'),
  ).catch(() => undefined)
  const { next = 0, stoppedAt = -Infinity, lines = [], outages = [] } = before ?? {}
  let heardAt = before?.heardAt
  let notedAt = 0
  let openSince: number | undefined
  const stoppedFor = now() - stoppedAt
  const isShort = next > 0 && stoppedFor >= 0 && stoppedFor < shortStop
  const first = Math.max(next, isShort ? 0 : now() * 1000, (lines.at(-1)?.seq ?? 0) + 1)
  let reserved = first + block
  const reserve = (from: number, at?: number): Promise<unknown> => {
    reserved = from
    return calls.numberChatFrom(from, at).catch(() => undefined)
  }
  await reserve(first + block)
  const reserveNext = (upTo: number) => {
    if (upTo + block / 2 >= reserved) void reserve(upTo + block)
  }
  const history = new ChatHistory(first, keep ? lines : [], reserveNext, () => maxLineNumber(now()))
  for (const outage of outages) if (outage.after < first) history.addOutage(outage)
  /** Notes that the chat is heard now, and whether it was not until now. */
  const hears = () => {
    const { chatOpenSince } = game.health()
    if (chatOpenSince === undefined) return
    const at = now()
    const isNew = chatOpenSince !== openSince
    if (isNew && heardAt !== undefined)
      later.chatOutage(chat.missed(isoTime(Math.min(heardAt, at)), isoTime(at)))
    openSince = chatOpenSince
    heardAt = at
    if (!isNew && Math.abs(at - notedAt) < noteEvery) return
    notedAt = at
    later.keepNumber('chatHeardAt', at)
  }
  // An outage comes before the first line after it.
  const subscribe = (listener: (event: GameEvent) => void) =>
    game.subscribe((event) => {
      if (event.type === 'chat') hears()
      listener(event)
    })
  const chat = farmChat({ subscribe }, history, (line) => {
    if (keep) later.chatLine(line, now())
  })
  return {
    ...chat,
    /** Call this every second. */
    tick: hears,
    /** Records the exact number of the next line, and until when the chat was heard. */
    async close() {
      if (heardAt !== undefined) later.keepNumber('chatHeardAt', heardAt)
      chat.close()
      await reserve(history.next, now())
    },
  }
}
