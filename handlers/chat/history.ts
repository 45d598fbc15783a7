/** Keeps the newest chat lines for clients that connect again, and numbers them (`seq`, docs/bot.md). */

export interface HeardLine {
  readonly seq: number
  /** The `chat` message as it is sent. */
  readonly text: string
}

/** The lines after a given one: those that are still kept, and the numbers of those that are not. */
export interface Missed {
  /**
   * The first and last number of the lines that are not sent. `from` is null when the client's `since` is above every
   * number given out here, so that it is unknown which of the kept lines the client has.
   */
  readonly gap?: { readonly from: number | null; readonly to: number }
  readonly lines: readonly HeardLine[]
  /** Numbers between two of the lines, or after the last of them, whose lines were lost when a process ended. */
  readonly hole?: { readonly from: number; readonly to: number }
}

/** Where a room's chat lines are numbered and kept. */
export interface ChatLines {
  /** The number that the next line will have. */
  readonly next: number
  /** Numbers a line and keeps it. @param compose makes the message from the number */
  add(compose: (seq: number) => string): HeardLine
  /** @param since the number of the last line that the client has; 0 for none */
  missedSince(since: number): Missed
}

/** Maximum of lines that are kept. */
export const keptLines = 1000

/** Maximum of bytes of all kept lines. Less than the 1 MiB that may wait for one client, so that all can be sent to it at once. */
export const keptBytes = 768 * 1024

const utf8 = new TextEncoder()
/** Bytes of a text in UTF-8. */
export const bytesOf = (text: string): number => utf8.encode(text).byteLength

/** Keeps lines in memory. */
export class ChatHistory implements ChatLines {
  /** By number, oldest first, no number left out. */
  readonly #lines = new Map<number, HeardLine & { readonly bytes: number }>()
  readonly #hole: Missed['hole']
  #bytes = 0
  #next: number

  /**
   * @param firstSeq the number of the first line, greater than all that were given out before
   * @param kept lines from before, oldest first, no number left out, all numbers below `firstSeq`; the lines from the
   *   last of them to `firstSeq` were lost
   */
  constructor(firstSeq: number, kept: readonly HeardLine[] = []) {
    this.#next = firstSeq
    const last = kept.at(-1)?.seq ?? firstSeq - 1
    if (last + 1 < firstSeq) this.#hole = { from: last + 1, to: firstSeq - 1 }
    for (const line of kept) this.#keep(line)
  }

  get next(): number {
    return this.#next
  }

  add(compose: (seq: number) => string): HeardLine {
    const line = { seq: this.#next, text: compose(this.#next) }
    this.#next += 1
    this.#keep(line)
    return line
  }

  missedSince(since: number): Missed {
    const newest = this.#next - 1
    // `since` was not given out yet, so it is unknown which of the kept lines the client has.
    if (since > newest) return { gap: { from: null, to: newest }, lines: [] }
    const kept = [...this.#lines.values()].map(({ seq, text }) => ({ seq, text }))
    const oldest = kept[0]?.seq ?? this.#next
    const lines = kept.filter(({ seq }) => seq > since)
    if (since + 1 < oldest) {
      const gap = { from: since + 1, to: oldest - 1 }
      return { gap, lines, ...this.#holeAfter(gap.to) }
    }
    return { lines, ...this.#holeAfter(since) }
  }

  /** The numbers of the hole above `seq`. */
  #holeAfter(seq: number): Pick<Missed, 'hole'> {
    const hole = this.#hole
    if (hole === undefined || seq >= hole.to) return {}
    return { hole: { from: Math.max(hole.from, seq + 1), to: hole.to } }
  }

  #keep({ seq, text }: HeardLine): void {
    const bytes = bytesOf(text)
    this.#lines.set(seq, { seq, text, bytes })
    this.#bytes += bytes
    for (const oldest of this.#lines.values()) {
      if (this.#lines.size <= keptLines && this.#bytes <= keptBytes) return
      this.#lines.delete(oldest.seq)
      this.#bytes -= oldest.bytes
    }
  }
}
