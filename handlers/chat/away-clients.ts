/** Which clients of `/ws` are closed when the game is away, and when (docs/websocket.md, "While the game is away"). */
import type { GameHealth } from '../game-bridge.ts'
import { awayWindow } from './limits.ts'
import type { RoomClient } from './room-client.ts'

/** Milliseconds in which a client that connects while the game is away can send `since` or `subscribe`. */
const newClientWindow = 2000

/** Since when the game is away, milliseconds since 1970; undefined while it is not away. */
export function awaySince({ connectedAt }: RoomClient, { awaySince: since, snapshotAt }: GameHealth) {
  // A game that never answered this process has been away at least since the client connected. The client may have
  // connected before this process, or this object, started.
  return since !== undefined && snapshotAt === undefined ? Math.min(since, connectedAt) : since
}

/** When a client has to be closed because the game is away, milliseconds since 1970; undefined for no such time. */
export function closeAt(client: RoomClient, health: GameHealth): number | undefined {
  const { session } = client.state
  const since = awaySince(client, health)
  if (since === undefined || session.phase !== 'open' || session.stays) return undefined
  return Math.max(since + awayWindow, client.connectedAt + newClientWindow)
}
