/** What the long polls have in common. */
import type { EndpointRequest } from './endpoint.ts'
import { integer, optional } from './parameter.ts'
import { Problem } from './problem.ts'

/** Milliseconds; a longer `timeout` is taken as this. */
const longestWait = 10_000

export const timeout = optional(
  integer(1, 2 ** 31 - 1, { description: `Milliseconds to wait, at most ${longestWait}`, example: '8000' }),
)
export const since = optional(
  integer(0, Number.MAX_SAFE_INTEGER, {
    description: 'Only a record whose `version` is above this one',
    example: '0',
  }),
)

/**
 * The record once it is newer than `since` and matches.
 * @throws {Problem} wait_timeout
 */
export async function waited<Query extends { readonly timeout?: number }, Found>(
  { query, until }: Pick<EndpointRequest<Query>, 'query' | 'until'>,
  probe: () => Promise<Found | undefined>,
): Promise<Found> {
  const found = await until(Math.min(query.timeout ?? longestWait, longestWait), probe)
  if (found === undefined) throw new Problem('wait_timeout', 'Nothing matched in time')
  return found
}

/** Whether a filter that was given, if it was, is met. */
export const meets = <T>(wanted: T | undefined, actual: T): boolean =>
  wanted === undefined || wanted === actual
