/** One chat client's socket at the edge, and its attached state, which survives hibernation. */
import * as v from 'valibot'
import { followable, topics } from '../../handlers/chat/messages.ts'
import { type ClientState, newClient, type RoomClient } from '../../handlers/chat/room-client.ts'
import type { ChatState } from '../../handlers/chat/session-steps.ts'
import { scopes } from '../../handlers/key-holder.ts'
import { account } from '../../handlers/key-record.ts'

const session = v.variant('phase', [
  v.object({ phase: v.literal('unauthenticated'), pings: v.number() }),
  v.object({
    phase: v.literal('open'),
    stays: v.boolean(),
    allowance: v.object({
      lines: v.number(),
      pings: v.number(),
      requests: v.number(),
      errors: v.number(),
      at: v.number(),
    }),
    holder: v.object({
      id: v.string(),
      name: v.string(),
      scopes: v.array(v.picklist(scopes)),
      ref: v.string(),
      account: v.exactOptional(account),
    }),
  }),
  v.object({ phase: v.literal('closed') }),
]) satisfies v.GenericSchema<unknown, ChatState>

/** The attachment of a socket: a few hundred bytes at most. */
const attachment = v.object({
  address: v.string(),
  /** Missing for any other client, so that the attachments of most are short. */
  isCommand: v.optional(v.literal(true)),
  /** When the client connected, milliseconds since 1970. */
  connectedAt: v.number(),
  state: v.object({
    session,
    firstSeq: v.optional(v.number()),
    ahead: v.optional(v.number()),
    topics: v.array(v.picklist(followable)),
    awaited: v.array(v.picklist(topics)),
  }),
})

interface Attachment {
  readonly address: string
  readonly isCommand?: true | undefined
  readonly connectedAt: number
  readonly state: ClientState
}
type Closed = (client: EdgeClient) => void

export class EdgeClient implements RoomClient {
  readonly ws: WebSocket
  readonly address: string
  readonly isCommand: boolean
  /** Milliseconds since 1970. */
  readonly connectedAt: number
  readonly #closed: Closed
  #state: ClientState

  private constructor(ws: WebSocket, { address, isCommand, connectedAt, state }: Attachment, closed: Closed) {
    this.ws = ws
    this.address = address
    this.isCommand = isCommand === true
    this.connectedAt = connectedAt
    this.#closed = closed
    this.#state = state
  }

  /** A client whose socket was accepted now. @param closed called when `close` closes the socket */
  static accepted(ws: WebSocket, peer: Omit<Attachment, 'state'>, closed: Closed): EdgeClient {
    const client = new EdgeClient(ws, { ...peer, state: newClient }, closed)
    client.#attach()
    return client
  }

  /** The client of a socket that was open before hibernation. @returns undefined when the client was closed */
  static found(ws: WebSocket, closed: Closed): EdgeClient | undefined {
    const read = v.safeParse(attachment, ws.deserializeAttachment())
    if (!read.success || read.output.state.session.phase === 'closed') return undefined
    return new EdgeClient(ws, read.output, closed)
  }

  get state(): ClientState {
    return this.#state
  }

  set state(state: ClientState) {
    this.#state = state
    this.#attach()
  }

  /** Bytes of the attachment. */
  get attachedBytes(): number {
    return JSON.stringify(this.#attachment()).length
  }

  /** Sends texts; does nothing when the socket is closed. */
  send(...texts: readonly string[]): void {
    if (this.ws.readyState === WebSocket.OPEN) for (const text of texts) this.ws.send(text)
  }

  /** Closes the socket; does nothing when it is closing or closed. */
  close(code: number, reason: string): void {
    if (this.ws.readyState !== WebSocket.OPEN) return
    this.ws.close(code, reason)
    this.#closed(this)
  }

  #attach(): void {
    this.ws.serializeAttachment(this.#attachment())
  }

  #attachment() {
    const { address, isCommand, connectedAt } = this
    return { address, ...(isCommand && { isCommand }), connectedAt, state: this.#state }
  }
}
