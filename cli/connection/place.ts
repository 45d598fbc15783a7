import { connect, type Farm } from '../../client/index.ts'
import type { Context } from '../terminal/context.ts'
import { fetchAsCommand, socketAsCommand } from './agent.ts'
import { type Where, type WhereOptions, where } from './where.ts'

/** A farm, with its address and key. */
export interface Place extends Where {
  readonly farm: Farm
}

/**
 * Connects to the farm that the options, the environment or a profile name; Ctrl-C ends its calls.
 * @throws {Failure} none is named
 */
export const placeOf = (options: WhereOptions, context: Context): Place =>
  placeAt(where(options, context.env), context)

export const placeAt = ({ url, key }: Where, { interrupted }: Context): Place => ({
  url,
  key,
  farm: connect({
    url,
    key,
    signal: interrupted(),
    fetch: fetchAsCommand,
    WebSocket: socketAsCommand(),
    // The commands show the state of their connection themselves.
    onProblem: () => undefined,
  }),
})
