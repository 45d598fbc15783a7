/**
 * The chat of the game on `/ws`: from which line on each client gets it. A client whose `since` was perhaps never given
 * out gets no line until that is known.
 */

import type { ChatOutage } from '../chat-outage.ts'
import type { Gap, NumberedLine } from '../game-event.ts'
import type { ChatLines } from './history.ts'
import { gapMessage, missedMessage } from './messages.ts'
import { type Channel, keep, type RoomClient } from './room-client.ts'

export interface AudienceOptions {
  readonly lines: ChatLines
  publish(channel: Channel, text: string): void
}

export class Audience<Client extends RoomClient> {
  readonly #options: AudienceOptions
  /** The clients that are `ahead`, each with that number. */
  readonly #waiting = new Map<Client, number>()

  constructor(options: AudienceOptions) {
    this.#options = options
  }

  /** Lets a client hear the chat. @param since it has the lines up to this number; undefined when it wants new ones only */
  admit(client: Client, since: number | undefined): void {
    const { lines } = this.#options
    const known = client.state.firstSeq
    const firstSeq = known ?? lines.next
    // The client got the lines from `firstSeq` on when they were said; no line is sent twice.
    const missed = since === undefined ? [] : lines.missed(since, firstSeq)
    if (missed !== undefined) {
      this.#hearsFrom(client, firstSeq)
      client.send(...missed)
    } else if (known !== undefined || since === undefined) this.#reset(client)
    else {
      keep(client, { ahead: since })
      this.#waiting.set(client, since)
    }
  }

  /** Adds a client whose socket was open before this object was loaded again (hibernation). */
  resume(client: Client): void {
    const { ahead } = client.state
    if (ahead !== undefined) this.#waiting.set(client, ahead)
  }

  /** Removes a client that has left, or whose key no longer allows it to hear the chat. */
  remove(client: Client): void {
    this.#waiting.delete(client)
  }

  heardLine({ seq, text }: NumberedLine): void {
    for (const [client, since] of this.#waiting) if (since < seq) this.#hearsFrom(client, seq)
    this.#options.publish('chat', text)
  }

  heardGap({ from, to }: Gap): void {
    this.#options.publish('gap', gapMessage(from, to))
    for (const [client, since] of this.#waiting) {
      if (since >= to) continue
      client.send(gapMessage(Math.max(from, since + 1), to))
      this.#hearsFrom(client, to + 1)
    }
  }

  heardOutage(outage: ChatOutage): void {
    this.#options.publish('gap', missedMessage(outage))
  }

  /** The farm has given out the numbers below `next` and no others: answers the clients that are `ahead` of them. */
  numbersKnown(next: number): void {
    for (const [client, since] of this.#waiting) if (since >= next) this.#reset(client)
  }

  /** Sends a client the lines from the newest on, because it is unknown which earlier ones it has. */
  #reset(client: Client): void {
    const { next } = this.#options.lines
    client.send(gapMessage(null, next - 1))
    this.#hearsFrom(client, client.state.firstSeq ?? next)
  }

  #hearsFrom(client: Client, firstSeq: number): void {
    keep(client, { firstSeq, ahead: undefined })
    this.#waiting.delete(client)
  }
}
