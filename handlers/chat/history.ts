/** Numbers the chat lines of a farm (`seq`, docs/bot.md) and keeps the newest for clients that connect again. */
import { utf8Length } from '../../lib/json.ts'
import { type ChatOutage, withOutage } from '../chat-outage.ts'
import type { NumberedLine } from '../game-event.ts'
import { gapMessage, missedMessage } from './messages.ts'

/** Where a room finds the farm's numbered lines. */
export interface ChatLines {
  /** One more than the greatest number given out. */
  readonly next: number
  /**
   * The messages for a client that has every line up to `since` (0 for none): the kept lines after it, up to `before`,
   * a `gap` over each run of numbers between them without a line, and each outage among them. A `since` that was never
   * given out gets only a `gap`, because it is unknown which lines the client has.
   * @param before the number of the first line that the client gets live
   * @returns undefined while it is unknown whether `since` was given out; then `ChatRoom.numbersKnown` is called
   */
  missed(since: number, before: number): readonly string[] | undefined
}

/** Maximum of lines kept for clients. */
export const keptLines = 1000

/**
 * Maximum of bytes of all lines kept for clients. Less than the 1 MiB that may wait for one client, so that all fit
 * into one answer.
 */
export const keptBytes = 768 * 1024

/** `ChatLines.missed` of the given lines. @param lines with rising numbers */
export function missedOf(
  lines: Iterable<NumberedLine>,
  outages: readonly ChatOutage[],
  next: number,
  since: number,
  before: number,
): readonly string[] {
  if (since >= next) return [gapMessage(null, next - 1)]
  const messages: string[] = []
  const outagesIn = (from: number, below: number) =>
    outages.filter(({ after }) => after >= from && after < below).map(missedMessage)
  let last = since
  for (const { seq, text } of lines) {
    if (seq <= since || seq >= before) continue
    if (seq > last + 1) messages.push(gapMessage(last + 1, seq - 1))
    messages.push(...outagesIn(last, seq), text)
    last = seq
  }
  if (last + 1 < before) messages.push(gapMessage(last + 1, before - 1))
  messages.push(...outagesIn(last, before))
  return messages
}

/**
 * Numbers lines and keeps them in memory: twice as many as for clients, so that the edge can get lines that wait for
 * it, and any line that its clients may ask for.
 */
export class ChatHistory implements ChatLines {
  /** By number, oldest first. */
  readonly #lines = new Map<number, NumberedLine & { readonly bytes: number }>()
  readonly #onNext: (next: number) => void
  readonly #most: () => number
  #bytes = 0
  #next: number
  #dropped = 0
  #outages: readonly ChatOutage[] = []

  /**
   * @param first the number of the first line, greater than all that were given out before
   * @param kept earlier lines, oldest first, with rising numbers below `first`
   * @param onNext called with each new `next`, before its number is used
   * @param most the greatest number now, which `skipTo` must not pass
   */
  constructor(
    first: number,
    kept: readonly NumberedLine[] = [],
    onNext: (next: number) => void = () => {},
    most: () => number = () => Number.MAX_SAFE_INTEGER,
  ) {
    this.#next = first
    this.#onNext = onNext
    this.#most = most
    for (const line of kept) this.#keep(line)
  }

  get next(): number {
    return this.#next
  }

  /** The greatest number of a line that is no longer kept; 0 for none. */
  get dropped(): number {
    return this.#dropped
  }

  /** The newest outages, oldest first. */
  get outages(): readonly ChatOutage[] {
    return this.#outages
  }

  /** Keeps an outage that is not among the kept ones. */
  addOutage(outage: ChatOutage): void {
    this.#outages = withOutage(this.#outages, outage) ?? this.#outages
  }

  /** Numbers a line and keeps it. @param compose makes the message from the number */
  add(compose: (seq: number) => string): NumberedLine {
    const line = { seq: this.#next, text: compose(this.#next) }
    this.#count(this.#next + 1)
    this.#keep(line)
    return line
  }

  /** Skips the numbers below `next`; does nothing when they were given out, or when it is above `most`. */
  skipTo(next: number): void {
    if (next > this.#next && next <= this.#most()) this.#count(next)
  }

  /** The kept lines with greater numbers, oldest first. */
  after(since: number): readonly NumberedLine[] {
    return [...this.#lines.values()].filter(({ seq }) => seq > since)
  }

  missed(since: number, before: number): readonly string[] {
    const lines = [...this.#lines.values()].slice(-keptLines)
    let bytes = 0
    const tooMany = lines.findLastIndex((line) => {
      bytes += line.bytes
      return bytes > keptBytes
    })
    return missedOf(lines.slice(tooMany + 1), this.#outages, this.#next, since, before)
  }

  #count(next: number): void {
    this.#next = next
    this.#onNext(next)
  }

  #keep({ seq, text }: NumberedLine): void {
    const bytes = utf8Length(text)
    this.#lines.set(seq, { seq, text, bytes })
    this.#bytes += bytes
    for (const oldest of this.#lines.values()) {
      if (this.#lines.size <= 2 * keptLines && this.#bytes <= 2 * keptBytes) return
      this.#lines.delete(oldest.seq)
      this.#bytes -= oldest.bytes
      this.#dropped = oldest.seq
    }
  }
}
