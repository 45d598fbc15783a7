import { EventEmitter } from 'node:events'
import { connect, type Farm, type FarmgateError } from '../../client/index.ts'
import type { Context } from '../terminal/context.ts'
import { fetchAsCommand, socketAsCommand } from './agent.ts'
import { type Where, type WhereOptions, where } from './where.ts'

/** A farm, with its address and key. */
export interface Place extends Where {
  readonly farm: Farm
  /** Why a live connection did not open, once for each outage. */
  readonly problems: EventEmitter<{ problem: [FarmgateError] }>
}

/**
 * Connects to the farm that the options, the environment or a profile name; Ctrl-C ends its calls.
 * @throws {Failure} none is named
 */
export const placeOf = (options: WhereOptions, context: Context): Place =>
  placeAt(where(options, context.env), context)

export function placeAt({ url, key }: Where, { interrupted }: Context): Place {
  const problems: Place['problems'] = new EventEmitter()
  const farm = connect({
    url,
    key,
    signal: interrupted(),
    fetch: fetchAsCommand,
    WebSocket: socketAsCommand(),
    onProblem: (problem) => problems.emit('problem', problem),
  })
  return { url, key, farm, problems }
}
