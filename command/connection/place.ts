import { connect, type Farm } from '../../client/index.ts'
import type { Context } from '../terminal/context.ts'
import { type Where, type WhereOptions, where } from './where.ts'

/** A farm, with its address and key. */
export interface Place extends Where {
  readonly farm: Farm
}

/**
 * Connects to the farm that the options, the environment or a profile name; Ctrl-C ends its calls.
 * @throws {Failure} none is named
 */
export function placeOf(options: WhereOptions, { env, interrupted }: Context): Place {
  const { url, key } = where(options, env)
  return { url, key, farm: connect({ url, key, signal: interrupted() }) }
}
