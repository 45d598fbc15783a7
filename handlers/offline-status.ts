/**
 * The answer of `/status` while the game is offline: 503, with a body that combines the error and the last known
 * status. It is not 200 with `isOnline:false`, because clients take that for a running game that has no farm loaded
 * yet.
 */
import { shownCause } from './cause.ts'
import type { GameBridge } from './game-bridge.ts'
import { neverSeen, status as record, type Status } from './game-records.ts'
import { Problem, problemOf } from './problem.ts'

/**
 * The status of an offline game. Members that describe the farm (name, date, limits, versions) keep their last value;
 * members that describe the present (players, readiness, invite codes) are reset, because they are unknown.
 */
export const offlineStatus = (last: Status): Status => ({
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

/** The `problemMembers` of an endpoint that answers with `presentStatus`. @param example of the status */
export const offlineProblem = (example: Status) =>
  ({ code: 'game_unavailable', schema: record, example: offlineStatus(example) }) as const

/**
 * The status of a game that is online, with the cause that stands.
 * @throws {Problem} game_unavailable while the game is offline; its body also has the members of `offlineStatus`
 */
export async function presentStatus(game: Pick<GameBridge, 'status' | 'health'>): Promise<Status> {
  const status = await game.status()
  const { awaySince, cause: known } = game.health()
  const cause = known === undefined ? undefined : { cause: shownCause(known) }
  if (awaySince === undefined) return cause === undefined ? status : { ...status, ...cause }
  const { code, message, details } = problemOf({ kind: 'unavailable' })
  throw new Problem(code, message, { ...details, beside: { ...offlineStatus(status), ...cause } })
}
