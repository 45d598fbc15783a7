/**
 * An endpoint of the control API is described by one value: method, path, access, texts, query, result and a pure
 * handler. The route, the check of the key, validation, OpenAPI, metrics labels and tests are all derived from it.
 */
import type * as v from 'valibot'
import type { Backups } from './backups.ts'
import type { GameBridge } from './game-bridge.ts'
import type { KeyHolder, Scope } from './key-holder.ts'
import type { Parameters, QueryOf } from './parameter.ts'
import type { ProblemCode } from './problem.ts'
import type { Records } from './records.ts'

/** What a handler is given besides the game. */
export interface EndpointRequest<Query> {
  readonly query: Query
  /** Whose key was sent; undefined without a valid one. */
  readonly holder: KeyHolder | undefined
  /** The caller sent a valid key that has the scope `read`, or the server has no key set. */
  readonly mayRead: boolean
  /** Invite codes are shown to callers without a key (`PUBLIC_INVITE_CODES`). */
  readonly publicInviteCodes: boolean
  /** Discord sends its commands to this server (`DISCORD_PUBLIC_KEY`). */
  readonly takesDiscord: boolean
  /** Now, ISO 8601 UTC with milliseconds. */
  readonly now: string
  /** The body as text where the endpoint declares a `body`; otherwise empty, and the request's body is not read. */
  readonly body: string
  /**
   * The wait of a long poll: calls `probe` now and after every event of the game until it returns a value.
   * @param milliseconds to wait at most
   * @returns undefined when the time is over
   */
  until<Found>(milliseconds: number, probe: () => Promise<Found | undefined>): Promise<Found | undefined>
  /**
   * Called by a long poll each time it reads the game, with the current values that its filters compare. The answer
   * then has the header `X-Predicate-Changed-At-Ms-Ago`.
   */
  filtered(values: Readonly<Record<string, unknown>>): void
}

/** Who may call an endpoint: everybody, or the holder of a key that has the scope; of any key where none is named. */
type Access =
  | { readonly access: 'public'; readonly scope?: undefined }
  | { readonly access: 'key'; readonly scope?: Scope }

export type Endpoint<P extends Parameters = Parameters, Result = unknown> = Access & Described<P, Result>

interface Described<P extends Parameters, Result> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Matched exactly and case-sensitively. */
  readonly path: `/${string}`
  readonly tag:
    | 'Server'
    | 'Players'
    | 'Farmhands'
    | 'Settings'
    | 'Cabins'
    | 'Time'
    | 'Waiting'
    | 'Diagnostics'
    | 'Audit'
    | 'Keys'
    | 'History'
    | 'Backups'
    | 'Webhooks'
    | 'Discord'
  readonly operationId: string
  /** One line for the reference page. */
  readonly summary: string
  readonly parameters: P
  readonly result: v.GenericSchema<unknown, Result>
  /** A result as `handle` returns it; clients also see the text of each id (`idText`). */
  readonly example: Result
  /** Error codes of this endpoint besides those that every endpoint can answer. */
  readonly problems: readonly ProblemCode[]
  /** The error code whose body has more members than every error has, and the schema of those members. */
  readonly problemBeside?: {
    readonly code: ProblemCode
    readonly schema: v.GenericSchema
    readonly example: object
  }
  /** The status of an answer without an error; 200 unless given. */
  readonly status?: 201
  /** Set where a JSON body is read: its schema, and the largest size in bytes. */
  readonly body?: {
    /** Set where a body of any other `Content-Type` is refused, and a body is required. */
    readonly type?: 'application/json'
    readonly schema: v.GenericSchema
    readonly example: unknown
    readonly maxBytes: number
    /** What the audit shows of a body's members, in place of all that the schema knows as they were sent. */
    readonly audited?: (members: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
  }
  /** CORS: web pages of any origin may read the answer (`/health` and `/status`). */
  readonly anyOrigin?: true
  /** Health checks use it: requests without a key have a rate limit of their own here. */
  readonly isProbe?: true
  /** @throws {Problem | GameError} */
  handle(
    request: EndpointRequest<QueryOf<P>>,
    game: GameBridge,
    records: Records,
    backups: Backups,
  ): Promise<Result> | Result
}

/** Infers the types of `handle` from the parameters and the result of the same descriptor; keeps those of the schemas. */
export const endpoint = <
  const P extends Parameters,
  Schema extends v.GenericSchema,
  Body extends v.GenericSchema = never,
>(
  described: Endpoint<P, v.InferOutput<Schema>> & {
    readonly result: Schema
    readonly body?: { readonly schema: Body }
  },
) => described
