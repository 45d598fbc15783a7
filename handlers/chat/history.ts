/** The chat lines that are kept for clients that were away, and their numbers (`seq`, docs/websocket.md). */

export interface HeardLine {
  readonly seq: number
  /** The `chat` message as it goes out. */
  readonly text: string
}

/** What a client that knows everything up to some line has missed. */
export interface Missed {
  /** Numbers that are not told, both included; `from` is null when what the client knows is not of this numbering. */
  readonly gap?: { readonly from: number | null; readonly to: number }
  readonly lines: readonly HeardLine[]
}

/** Where a room's chat lines are numbered and kept. */
export interface ChatLines {
  /** The number that the next line will have. */
  readonly next: number
  /** Numbers a line and keeps it. @param compose makes its message from its number */
  add(compose: (seq: number) => string): HeardLine
  /** @param since the last number that the client knows; 0 for none */
  missedSince(since: number): Missed
}

/** How many lines are kept. */
export const keptLines = 1000

/** Most bytes of the kept lines together: all of them fit what may wait for one client, beside its other answers. */
export const keptBytes = 768 * 1024

const utf8 = new TextEncoder()
/** Bytes of a text in UTF-8. */
export const bytesOf = (text: string): number => utf8.encode(text).byteLength

/** Keeps lines in memory. */
export class ChatHistory implements ChatLines {
  /** By number, oldest first, without a hole. */
  readonly #lines = new Map<number, HeardLine & { readonly bytes: number }>()
  #bytes = 0
  #next: number

  /**
   * @param firstSeq the number of the first line; the start time in microseconds, so that numbers never
   *   run backwards over a restart
   * @param kept lines from before, oldest first, their numbers without a hole and below `firstSeq`
   */
  constructor(firstSeq: number, kept: readonly HeardLine[] = []) {
    this.#next = firstSeq
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
    // A number that was not given out yet: which of the kept lines the client has heard cannot be known.
    if (since > newest) return { gap: { from: null, to: newest }, lines: [] }
    const held = [...this.#lines.values()].map(({ seq, text }) => ({ seq, text }))
    const oldest = held[0]?.seq ?? this.#next
    const lines = held.filter(({ seq }) => seq > since)
    return since + 1 < oldest ? { gap: { from: since + 1, to: oldest - 1 }, lines } : { lines }
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
