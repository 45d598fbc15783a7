/**
 * What `/status` says while the game is away. `isOnline:false` with 200 means that a game answers and has no
 * farm loaded; so that nobody takes a dead game for one that starts, the answer is then 503, and its body is
 * an error and a status in one.
 */
import type { GameBridge } from './game-bridge.ts'
import { neverSeen, status as record, type Status } from './game-records.ts'
import { Problem, problemOf } from './problem.ts'

/** What the farm is keeps its last value; what is going on in it, which nobody knows any more, does not. */
export const awayStatus = (last: Status): Status => ({
  ...neverSeen,
  maxPlayers: last.maxPlayers,
  serverVersion: last.serverVersion,
  gameVersion: last.gameVersion,
  lastUpdated: last.lastUpdated,
  farmName: last.farmName,
  day: last.day,
  season: last.season,
  year: last.year,
  timeOfDay: last.timeOfDay,
  farmTypeKey: last.farmTypeKey,
  version: last.version,
  ...(last.serverName !== undefined && { serverName: last.serverName }),
})

/** For the descriptors of endpoints that answer with `presentStatus`. */
export const awayProblem = (example: Status) =>
  ({ code: 'game_unavailable', schema: record, example: awayStatus(example) }) as const

/**
 * The status of a game that is there.
 * @throws {Problem} game_unavailable while the game is away; its body has the members of `awayStatus` too
 */
export async function presentStatus(game: Pick<GameBridge, 'status' | 'health'>): Promise<Status> {
  const status = await game.status()
  if (game.health().awaySince === undefined) return status
  const { code, message, details } = problemOf({ kind: 'unavailable' })
  throw new Problem(code, message, { ...details, beside: awayStatus(status) })
}
