/** Chat lines on their way to the edge: numbered here, kept until the edge has them, so that none is lost or doubled. */
import type { GameEvent } from '../../handlers/game-event.ts'
import { frameText } from './protocol.ts'

/** Lines kept for an edge that cannot be reached: more than its object keeps for clients, so none of those is missing. */
export const mostKept = 2000
/** Lines sent ahead of what the edge has confirmed. */
const window = 200

export class ChatOutbox {
  #lines: { readonly n: number; readonly text: string }[] = []
  #last = 0
  /** The last line sent over the link there is now. */
  #sent = 0
  #heard = 0

  /** Numbers a line and keeps it. @returns false when that pushed out the oldest unconfirmed one */
  add({ playerName, message, timestamp }: Extract<GameEvent, { type: 'chat' }>): boolean {
    this.#last += 1
    const text = frameText({
      type: 'line',
      n: this.#last,
      playerName: playerName.toWellFormed(),
      message: message.toWellFormed(),
      timestamp,
    })
    this.#lines.push({ n: this.#last, text })
    if (this.#lines.length <= mostKept) return true
    this.#lines.shift()
    return false
  }

  /** A new link: everything after line `heard` is to be sent, again if need be. */
  resume(heard: number): void {
    this.heard(heard)
    this.#sent = this.#heard
  }

  /** The edge keeps every line up to `n`. */
  heard(n: number): void {
    if (n > this.#last) return
    this.#heard = Math.max(this.#heard, n)
    const first = this.#lines.findIndex((line) => line.n > n)
    this.#lines = first < 0 ? [] : this.#lines.slice(first)
  }

  /** What may be sent now; taken as sent. */
  next(): readonly string[] {
    const room = Math.max(0, window - (this.#sent - this.#heard))
    const due = this.#lines.filter(({ n }) => n > this.#sent).slice(0, room)
    this.#sent = due.at(-1)?.n ?? this.#sent
    return due.map(({ text }) => text)
  }
}
