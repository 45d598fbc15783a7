/**
 * Sends chat lines to the edge over the link. Lines are numbered here and kept until the edge confirms them, so that
 * none is lost or sent to clients twice when the link breaks.
 */
import { bytesOf, keptBytes } from '../../handlers/chat/history.ts'
import type { GameEvent } from '../../handlers/game-event.ts'
import { frameText, maxHead } from './protocol.ts'

/**
 * Maximum of lines kept while the edge cannot be reached. It is more than the edge keeps for clients, so that none of
 * those is missing.
 */
export const maxKept = 2000
/** Maximum of bytes of the kept lines; also more than the edge keeps. */
const maxBytes = 2 * keptBytes
/** Maximum of lines sent that the edge has not confirmed yet. */
const window = 200
/**
 * What is kept of the name and the text of a line whose frame would be too long for the edge, in UTF-16 units; in JSON
 * each may take six times as much.
 */
const cut = { name: 1000, message: 80_000 } as const

export class ChatOutbox {
  #lines: { readonly n: number; readonly text: string; readonly bytes: number }[] = []
  #bytes = 0
  #last = 0
  /** Number of the last line that was sent over the current link. */
  #sent = 0
  /** Number of the last line that the edge confirmed. */
  #confirmed = 0

  /** Numbers a line and keeps it. @returns how many of the oldest unconfirmed lines were dropped for it */
  add({ playerName, message, timestamp }: Extract<GameEvent, { type: 'chat' }>): number {
    this.#last += 1
    const frame = (name: string, said: string) =>
      frameText({
        type: 'line',
        n: this.#last,
        playerName: name.toWellFormed(),
        message: said.toWellFormed(),
        timestamp,
      })
    const whole = frame(playerName, message)
    const text =
      whole.length <= maxHead ? whole : frame(playerName.slice(0, cut.name), message.slice(0, cut.message))
    const bytes = bytesOf(text)
    this.#lines.push({ n: this.#last, text, bytes })
    this.#bytes += bytes
    let dropped = 0
    for (let left = this.#bytes; this.#lines.length - dropped > maxKept || left > maxBytes; dropped += 1)
      left -= this.#lines[dropped]?.bytes ?? 0
    this.#keepFrom(dropped)
    return dropped
  }

  /** Begins on a new link: lines after line `n` are sent, also those that an earlier link has carried. */
  resume(n: number): void {
    this.confirm(n)
    this.#sent = this.#confirmed
  }

  /** Forgets the lines up to `n`, because the edge has stored them. */
  confirm(n: number): void {
    if (n > this.#last) return
    this.#confirmed = Math.max(this.#confirmed, n)
    const first = this.#lines.findIndex((line) => line.n > n)
    this.#keepFrom(first < 0 ? this.#lines.length : first)
  }

  /** The frames that may be sent now. The caller has to send them: they are not returned again on this link. */
  next(): readonly string[] {
    const allowed = Math.max(0, window - (this.#sent - this.#confirmed))
    const frames = this.#lines.filter(({ n }) => n > this.#sent).slice(0, allowed)
    this.#sent = frames.at(-1)?.n ?? this.#sent
    return frames.map(({ text }) => text)
  }

  /** Forgets the lines before an index. */
  #keepFrom(first: number): void {
    if (first === 0) return
    for (const { bytes } of this.#lines.slice(0, first)) this.#bytes -= bytes
    this.#lines = this.#lines.slice(first)
  }
}
