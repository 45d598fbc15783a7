/**
 * One endpoint is one value: method, path, access, words, query, result and a pure handler. The route,
 * the key check, validation, OpenAPI, metrics labels and tests all come from it; nothing is written twice.
 */
import type * as v from 'valibot'
import type { GameBridge } from './game-bridge.ts'
import type { Parameters, QueryOf } from './parameter.ts'
import type { ProblemCode } from './problem.ts'

/** What a handler may know besides the game. */
export interface EndpointRequest<Query> {
  readonly query: Query
  /** The caller showed a valid key, or none is set. */
  readonly hasKey: boolean
  /** Operators chose to show invite codes to everyone (`PUBLIC_INVITE_CODES`). */
  readonly publicInviteCodes: boolean
  /** Now, ISO 8601 UTC with milliseconds. */
  readonly now: string
  /** The body as text, for the one endpoint that declares one; empty elsewhere. */
  readonly body: string
  /**
   * Asks `probe` now and after every change of the game until it answers something or the time is over.
   * @param milliseconds at most
   * @returns undefined when the time is over
   */
  until<Found>(milliseconds: number, probe: () => Promise<Found | undefined>): Promise<Found | undefined>
}

export interface Endpoint<P extends Parameters = Parameters, Result = unknown> {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Exact and case-sensitive. */
  readonly path: `/${string}`
  /** `public`: without a key. */
  readonly access: 'public' | 'key'
  readonly tag:
    | 'Server'
    | 'Players'
    | 'Farmhands'
    | 'Settings'
    | 'Cabins'
    | 'Time'
    | 'Waiting'
    | 'Diagnostics'
  readonly operationId: string
  /** One line for the reference page. */
  readonly summary: string
  readonly parameters: P
  readonly result: v.GenericSchema<unknown, Result>
  /** A result as `handle` answers it; clients see the texts of its ids beside them. */
  readonly example: Result
  /** The result is a record of the game's own making: it goes out as it came, no texts beside its ids. */
  readonly isPassedOn?: true
  /** What can go wrong beyond what can go wrong everywhere. */
  readonly problems: readonly ProblemCode[]
  /** The one problem whose body has more members than the error's own, and which. */
  readonly problemBeside?: {
    readonly code: ProblemCode
    readonly schema: v.GenericSchema
    readonly example: object
  }
  /** Set where a JSON body is read: what it may hold, and its limit in bytes. */
  readonly body?: {
    readonly schema: v.GenericSchema
    readonly example: unknown
    readonly maxBytes: number
  }
  /** Browsers of any origin may read it (CORS): `/health` and `/status`. */
  readonly anyOrigin?: true
  /** @throws {Problem | GameError} */
  handle(request: EndpointRequest<QueryOf<P>>, game: GameBridge): Promise<Result> | Result
}

/** Gives a handler its types from its own descriptor. */
export const endpoint = <const P extends Parameters, Result>(described: Endpoint<P, Result>) => described
