/**
 * Sends the farm's numbered chat lines, and the outages between them, to the edge over the link. The edge confirms what it has stored, and continues
 * after it on the next link, so no line is lost or stored twice when a link is cut or the farm's process ends.
 */

import type { FarmChat } from '../../../handlers/chat/farm-chat.ts'
import type { ChatOutage } from '../../../handlers/chat-outage.ts'
import type { NumberedLine } from '../../../handlers/game-event.ts'
import { keptMessage } from '../../../handlers/history-records.ts'
import { readForeign } from '../../../lib/foreign/read.ts'
import { frameText, maxHead } from '../protocol.ts'

/** Maximum of sent lines without a confirmation of the edge. */
const window = 200
/**
 * The kept part of the name and text of a line whose frame would be too long for the edge, in UTF-16 units; in JSON
 * each may take six times as much.
 */
const cut = { name: 1000, message: 80_000 } as const

/** @returns none for a damaged line of an earlier process */
function frameOf({ seq, text }: NumberedLine): readonly string[] {
  const read = readForeign(keptMessage, text)
  if (read === undefined) return []
  const { playerName, message: said, timestamp } = read.payload
  const frame = (name: string, words: string) =>
    frameText({
      type: 'line',
      n: seq,
      playerName: name.toWellFormed(),
      message: words.toWellFormed(),
      timestamp,
    })
  const whole = frame(playerName, said)
  return [whole.length <= maxHead ? whole : frame(playerName.slice(0, cut.name), said.slice(0, cut.message))]
}

export class ChatOutbox {
  readonly #chat: Pick<FarmChat, 'lines' | 'skipTo'>
  readonly #onDropped: (lines: number) => void
  /** The number of the first line of this process. Earlier ones go only to an edge that has the lines before them. */
  readonly #first: number
  /** The number of the last line sent over the current link. */
  #sent: number
  /** The numbers of the lines sent over the current link that the edge has not confirmed. */
  #unconfirmed: number[] = []
  /** The outages sent over the current link. */
  #missed = new Set<ChatOutage>()

  /** @param onDropped called when lines that the edge did not get are no longer kept */
  constructor(chat: Pick<FarmChat, 'lines' | 'skipTo'>, onDropped: (lines: number) => void) {
    this.#chat = chat
    this.#onDropped = onDropped
    this.#first = chat.lines.next
    this.#sent = this.#first - 1
  }

  /** For the `hello`: the first number for a new edge, and the number of the next line. */
  get numbers(): { readonly from: number; readonly next: number } {
    const { lines } = this.#chat
    return { from: lines.after(this.#first - 1)[0]?.seq ?? lines.next, next: lines.next }
  }

  /**
   * Begins on a new link.
   * @param heard the number of the last line that the edge has of this farm; 0 for none
   * @param newest the greatest number that the edge has shown: all later lines get greater ones
   */
  resume(heard: number, newest: number): void {
    const { lines, skipTo } = this.#chat
    this.#sent = heard > 0 && heard < lines.next ? heard : this.#first - 1
    this.#unconfirmed = []
    this.#missed = new Set()
    // The edge gives greater numbers to lines that it lacks and whose numbers are not above its newest.
    if (newest >= lines.next) skipTo(newest + lines.after(this.#sent).length + 1)
  }

  /** The edge has stored the lines up to `n`. */
  confirm(n: number): void {
    this.#unconfirmed = this.#unconfirmed.filter((seq) => seq > n)
  }

  /** The frames to send now. They are not returned again on this link. */
  next(): readonly string[] {
    const { lines } = this.#chat
    const dropped = lines.dropped - this.#sent
    if (dropped > 0) {
      this.#onDropped(dropped)
      this.#sent = lines.dropped
    }
    const waiting = lines.after(this.#sent)
    const found = waiting.slice(0, window - this.#unconfirmed.length)
    for (const { seq } of found) this.#unconfirmed.push(seq)
    this.#sent = found.at(-1)?.seq ?? this.#sent
    return [...found.flatMap(frameOf), ...this.#outages(waiting[found.length]?.seq ?? Infinity)]
  }

  /** The frames of the outages whose earlier lines were all sent. @param unsent the number of the first line that was not */
  #outages(unsent: number): readonly string[] {
    const sent = this.#missed
    const next = this.#chat.lines.outages.filter((one) => !sent.has(one) && one.after < unsent)
    for (const outage of next) sent.add(outage)
    return next.map((outage) => frameText({ type: 'missed', ...outage }))
  }
}
