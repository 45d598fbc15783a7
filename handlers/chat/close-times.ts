/** Which clients of `/ws` are closed when the game is offline, and when (docs/bot.md, "While the game is offline"). */
import type { GameHealth } from '../game-bridge.ts'
import { chatLostWindow, offlineWindow } from './limits.ts'
import type { RoomClient } from './room-client.ts'

/** Milliseconds in which a client that connects while the game is offline can send `since` or `subscribe`. */
const newClientWindow = 2000

/** Since when the game is offline, milliseconds since 1970; undefined while it is online. */
function awaySince({ connectedAt }: RoomClient, { awaySince: since, snapshotAt }: GameHealth) {
  // A game that never answered this process has been offline at least since the client connected. The client may have
  // connected before this process, or this object, started.
  return since !== undefined && snapshotAt === undefined ? Math.min(since, connectedAt) : since
}

/**
 * From when a client that uses neither `since` nor `subscribe` is refused and closed, milliseconds since 1970: the
 * game has been offline for `offlineWindow`, or its chat was reset or refused `chatLostWindow` ago. Undefined for no
 * such time.
 */
export function refusedFrom(client: RoomClient, health: GameHealth): number | undefined {
  const since = awaySince(client, health)
  const { chatLostAt } = health
  const times = [
    ...(since === undefined ? [] : [since + offlineWindow]),
    ...(chatLostAt === undefined ? [] : [chatLostAt + chatLostWindow]),
  ]
  return times.length === 0 ? undefined : Math.min(...times)
}

/** Whether the client will be closed within `chatLostWindow` unless the game is back; until then its lines are held. */
export const isHeld = (client: RoomClient, health: GameHealth, now: number): boolean =>
  (closeAt(client, health) ?? Number.POSITIVE_INFINITY) - now <= chatLostWindow

/** When a client must be closed because the game is offline, milliseconds since 1970; undefined for no such time. */
export function closeAt(client: RoomClient, health: GameHealth): number | undefined {
  const { session } = client.state
  const from = refusedFrom(client, health)
  if (from === undefined || session.phase !== 'open' || session.stays) return undefined
  return Math.max(from, client.connectedAt + newClientWindow)
}
