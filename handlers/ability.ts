/** A port is called by name: a table has one row for each of its calls. `game-abilities.ts` is the table of a game. */
import type * as v from 'valibot'

export interface Limits {
  /** A read may be shared by callers, cached for a moment and repeated; a write is sent at most once. */
  readonly effect: 'read' | 'write'
  /** Milliseconds within which the answer must come, on every implementation; the link adds one second. */
  readonly budget: number
}

/** A call that the link carries. */
export interface Ability<Args, Result> extends Limits {
  /** The messages of valibot's issues are sentences for the caller. */
  readonly args: v.GenericSchema<unknown, Args>
  readonly result: v.GenericSchema<unknown, Result>
}

export type ArgsOf<Port, Name extends keyof Port> = Port[Name] extends (...args: infer Args) => unknown
  ? Args
  : never
export type ResultOf<Port, Name extends keyof Port> = Port[Name] extends (...args: never) => infer Result
  ? Awaited<Result>
  : never

/** The table of a port: one row for each of its calls. */
export type AbilitiesOf<Port, Name extends keyof Port> = {
  readonly [N in Name]: Ability<ArgsOf<Port, N>, ResultOf<Port, N>>
}

/** The calls of a port, by name. */
export type Callable<Port, All extends keyof Port> = {
  readonly [N in All]: (...args: ArgsOf<Port, N>) => Promise<ResultOf<Port, N>>
}

/**
 * Makes the calls of a port from one function that performs any of them by name.
 * @param abilities the table of the port
 */
export const callsOf = <Port, All extends keyof Port & string>(
  abilities: Readonly<Record<All, Limits>>,
  perform: <Name extends All>(name: Name, args: ArgsOf<Port, Name>) => Promise<ResultOf<Port, Name>>,
): Callable<Port, All> =>
  // The compiler cannot infer that the object has exactly the names of the table; this cast is the only one needed.
  Object.fromEntries(
    Object.keys(abilities).map((name) => [name, (...args: ArgsOf<Port, All>) => perform(name as All, args)]),
  ) as unknown as Callable<Port, All>
