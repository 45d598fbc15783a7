/** One client's socket at the edge, and what of it survives hibernation. */
import * as v from 'valibot'
import { topics } from '../../handlers/chat/messages.ts'
import type { ChatState } from '../../handlers/chat/session.ts'

const topic = v.picklist(topics)
const state = v.variant('phase', [
  v.object({ phase: v.literal('unauthenticated') }),
  v.object({ phase: v.literal('open'), sent: v.array(v.number()) }),
  v.object({ phase: v.literal('closed') }),
])

/** What is attached to the socket: at most a few hundred bytes of plain values. */
const attachment = v.object({
  state,
  address: v.string(),
  /** When it connected, milliseconds since 1970. */
  at: v.number(),
  /** The chat line after which it hears everything; 0 before. */
  heardFrom: v.number(),
  topics: v.array(topic),
  /** Topics whose snapshot the game could not give yet. */
  owed: v.array(topic),
})
type Attachment = v.InferOutput<typeof attachment>

export class Seat {
  readonly ws: WebSocket
  readonly #kept: Attachment
  /** Lines go into the game in the order they were sent. */
  saying: Promise<void> | undefined

  private constructor(ws: WebSocket, kept: Attachment) {
    this.ws = ws
    this.#kept = kept
  }

  static taken(ws: WebSocket, address: string, at: number, state: ChatState): Seat {
    const seat = new Seat(ws, {
      state: plain(state),
      address,
      at,
      heardFrom: 0,
      topics: [],
      owed: [],
    })
    seat.keep()
    return seat
  }

  /** @returns undefined for a socket that is not a client's */
  static found(ws: WebSocket): Seat | undefined {
    const read = v.safeParse(attachment, ws.deserializeAttachment())
    return read.success ? new Seat(ws, read.output) : undefined
  }

  get kept(): Readonly<Attachment> {
    return this.#kept
  }

  /** Changes what is kept, and keeps it. */
  keep(change: Partial<Omit<Attachment, 'state'>> & { readonly state?: ChatState } = {}): void {
    const { state, ...rest } = change
    Object.assign(this.#kept, rest, state !== undefined && { state: plain(state) })
    this.ws.serializeAttachment(this.#kept)
  }

  get isListening(): boolean {
    return this.#kept.state.phase === 'open'
  }

  /** Closes, unless that has begun already. */
  close(code: number, reason: string): void {
    if (this.ws.readyState === WebSocket.OPEN) this.ws.close(code, reason)
  }

  /** Sends, unless the socket is gone. */
  send(text: string): void {
    if (this.ws.readyState === WebSocket.OPEN) this.ws.send(text)
  }
}

const plain = (state: ChatState): Attachment['state'] =>
  state.phase === 'open' ? { phase: 'open', sent: [...state.sent] } : { phase: state.phase }
