/** The socket of a farm's link at the edge, and its attached state, which survives hibernation. */
import * as v from 'valibot'
import type { EdgeSocket, LinkState } from '../../bridges/linked/edge-connection.ts'
import type { ChatPosition } from './chat-store.ts'

const attachment = v.object({
  generation: v.number(),
  run: v.exactOptional(v.string()),
  isNumbered: v.exactOptional(v.literal(true)),
  hasLog: v.exactOptional(v.literal(true)),
  /** When the socket was accepted, milliseconds since 1970. */
  at: v.number(),
  /** Id of the link key that the farm used (`FarmKeys.linkId`). */
  key: v.string(),
  /** The position of the newest chat line, so that an object that wakes need not read its lines from SQLite. */
  position: v.exactOptional(
    v.object({ seq: v.number(), run: v.string(), n: v.number(), place: v.number(), bytes: v.number() }),
  ),
})

export class OriginSocket implements EdgeSocket {
  readonly ws: WebSocket
  readonly #ctx: DurableObjectState
  readonly #at: number
  readonly key: string
  state: LinkState
  #position: ChatPosition | undefined

  private constructor(
    ctx: DurableObjectState,
    ws: WebSocket,
    at: number,
    key: string,
    state: LinkState,
    position?: ChatPosition,
  ) {
    this.#position = position
    this.#ctx = ctx
    this.ws = ws
    this.#at = at
    this.key = key
    this.state = state
  }

  /** A link whose socket was accepted now. */
  static accepted(
    ctx: DurableObjectState,
    ws: WebSocket,
    at: number,
    key: string,
    generation: number,
  ): OriginSocket {
    const socket = new OriginSocket(ctx, ws, at, key, { generation })
    socket.keep({ generation })
    return socket
  }

  /** The newest link among the sockets that were open before hibernation; undefined when none of them is open. */
  static newest(ctx: DurableObjectState, sockets: readonly WebSocket[]): OriginSocket | undefined {
    const found = sockets.flatMap((ws) => {
      const read = v.safeParse(attachment, ws.deserializeAttachment())
      if (!read.success || ws.readyState !== WebSocket.OPEN) return []
      const { at, key, position, ...state } = read.output
      return [new OriginSocket(ctx, ws, at, key, state, position)]
    })
    return found.sort((a, b) => b.state.generation - a.state.generation)[0]
  }

  /** Sets the state, and attaches it to the socket. */
  keep(state: LinkState): void {
    this.state = state
    const position = this.#position
    this.ws.serializeAttachment({
      ...state,
      at: this.#at,
      key: this.key,
      ...(position !== undefined && { position }),
    })
  }

  get position(): ChatPosition | undefined {
    return this.#position
  }

  keepPosition(position: ChatPosition | undefined): void {
    if (this.#position === position) return
    this.#position = position
    this.keep(this.state)
  }

  send(text: string): boolean {
    if (this.ws.readyState !== WebSocket.OPEN) return false
    this.ws.send(text)
    return true
  }

  close(code: number, reason: string): void {
    if (this.ws.readyState === WebSocket.OPEN) this.ws.close(code, reason)
  }

  lastSeen(): number {
    return Math.max(this.#at, this.#ctx.getWebSocketAutoResponseTimestamp(this.ws)?.getTime() ?? 0)
  }
}
