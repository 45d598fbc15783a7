/** The common parts of the long polls (`/wait/…`): their parameters, and the wait itself. */
import { docs } from './described.ts'
import type { EndpointRequest } from './endpoint.ts'
import type { Status } from './game-records.ts'
import { integer, optional } from './parameter.ts'
import { Problem } from './problem.ts'

/** Milliseconds; a longer `timeout` is shortened to this. */
export const maxWait = 10_000

export const timeout = optional(
  integer(1, 2 ** 31 - 1, {
    description: docs(`Milliseconds to wait, at most ${maxWait}`),
    example: '8000',
  }),
)
export const since = optional(
  integer(0, Number.MAX_SAFE_INTEGER, {
    description: docs('Only a record whose `version` is above this one'),
    example: '0',
  }),
)

/**
 * Waits until `probe` returns a record.
 * @param probe returns undefined while the record is not newer than `since` or does not match
 * @throws {Problem} wait_timeout when `probe` returned none within `timeout`
 */
export async function waited<Query extends { readonly timeout?: number }, Found>(
  { query, until }: Pick<EndpointRequest<Query>, 'query' | 'until'>,
  probe: () => Promise<Found | undefined>,
): Promise<Found> {
  const found = await until(Math.min(query.timeout ?? maxWait, maxWait), probe)
  if (found === undefined) throw new Problem('wait_timeout', 'Nothing matched in time')
  return found
}

/** Whether a value equals a filter's; true when the filter was left out. */
export const meets = <T>(wanted: T | undefined, actual: T): boolean =>
  wanted === undefined || wanted === actual

/**
 * The values that the filters of `/wait/status` compare, by the names under which the time of their last change is
 * kept.
 */
export const statusFilters = (status: Status) => ({
  isReady: status.isReady,
  dayTransitionComplete: status.dayTransitionComplete,
  isPaused: status.isPaused,
  day: status.day,
  playerCount: status.playerCount,
})

/** The name under which the time is kept when a player last connected or disconnected. */
export const playerFilter = (id: bigint) => `player ${id}`
