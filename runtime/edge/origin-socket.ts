/** The socket of a farm's link at the edge, and its attached state, which survives hibernation. */
import * as v from 'valibot'
import type { LinkState } from '../../bridges/linked/edge-end/edge-connection.ts'
import type { ChatPosition } from './chat-store.ts'

const attachment = v.object({
  generation: v.number(),
  run: v.exactOptional(v.string()),
  version: v.exactOptional(v.number()),
  /** When the socket was accepted, milliseconds since 1970. */
  at: v.number(),
  /** Id of the link key that the farm used (`FarmKeys.linkId`). */
  key: v.string(),
  /** The position of the newest chat line, so that an object that wakes need not read its lines from SQLite. */
  position: v.exactOptional(
    v.object({ seq: v.number(), run: v.string(), n: v.number(), place: v.number(), bytes: v.number() }),
  ),
})

type Attachment = v.InferOutput<typeof attachment>

export type OriginSocket = ReturnType<typeof originSocket>

function originSocket(ctx: DurableObjectState, ws: WebSocket, { at, key, ...attached }: Attachment) {
  let { position, ...rest } = attached
  let state: LinkState = rest
  const attach = () =>
    ws.serializeAttachment({ ...state, at, key, ...(position !== undefined && { position }) })
  return {
    ws,
    key,
    get state(): LinkState {
      return state
    },
    get position(): ChatPosition | undefined {
      return position
    },
    /** Sets the state, and attaches it to the socket. */
    keep(next: LinkState): void {
      state = next
      attach()
    },
    keepPosition(next: ChatPosition | undefined): void {
      if (position === next) return
      position = next
      attach()
    },
    send(text: string): boolean {
      if (ws.readyState !== WebSocket.OPEN) return false
      ws.send(text)
      return true
    },
    close(code: number, reason: string): void {
      if (ws.readyState === WebSocket.OPEN) ws.close(code, reason)
    },
    lastSeen: (): number => Math.max(at, ctx.getWebSocketAutoResponseTimestamp(ws)?.getTime() ?? 0),
  }
}

/** A link whose socket was accepted now. */
export function acceptedOrigin(
  ctx: DurableObjectState,
  ws: WebSocket,
  of: Pick<Attachment, 'at' | 'key' | 'generation'>,
): OriginSocket {
  const socket = originSocket(ctx, ws, of)
  socket.keep({ generation: of.generation })
  return socket
}

/** The newest link among the sockets that were open before hibernation; undefined when none of them is open. */
export function newestOrigin(
  ctx: DurableObjectState,
  sockets: readonly WebSocket[],
): OriginSocket | undefined {
  const found = sockets.flatMap((ws) => {
    const read = v.safeParse(attachment, ws.deserializeAttachment())
    return read.success && ws.readyState === WebSocket.OPEN ? [originSocket(ctx, ws, read.output)] : []
  })
  return found.sort((a, b) => b.state.generation - a.state.generation)[0]
}
