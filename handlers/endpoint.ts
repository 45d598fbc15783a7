/**
 * An endpoint of the control API is one value: method, path, access, texts, query, result and a pure handler. The
 * route, the check of the key, validation, OpenAPI, metrics labels and tests are all derived from it.
 */
import type * as v from 'valibot'
import type { Accounts } from './accounts.ts'
import type { BegunWrite } from './audit-entry.ts'
import type { Backups } from './backups.ts'
import type { Downloads } from './downloads.ts'
import type { Fleet } from './fleet.ts'
import type { GameBridge, GameReads } from './game-bridge.ts'
import type { Host } from './host.ts'
import type { KeyHolder, Right, Scope } from './key-holder.ts'
import type { Mods } from './mods.ts'
import type { Parameters, QueryOf } from './parameter.ts'
import type { ProblemCode } from './problem-table.ts'
import type { Records } from './records.ts'
import type { Saves } from './saves.ts'
import type { Schedules } from './schedules.ts'
import type { Stream } from './stream.ts'
import type { Support } from './support.ts'
import type { TicketService } from './ticket-service.ts'

/** The ports that a farm's own process and the edge both have. A handler takes those that it needs. */
export interface EdgePorts {
  readonly game: GameReads
  readonly records: Pick<Records, 'state'>
  readonly metrics: Metrics
}

/** The ports of a farm in its own process, for endpoints with `at: 'farm'`. */
export interface FarmPorts {
  readonly game: GameBridge
  readonly records: Records
  readonly backups: Backups
  readonly host: Host
  readonly schedules: Schedules
  readonly saves: Saves
  readonly mods: Mods
  readonly accounts: Accounts
  readonly downloads: Downloads
  readonly support: Support
  readonly ticketService: TicketService
}

/** What the process counts, as Prometheus text. */
interface Metrics {
  readonly contentType: string
  text(): Promise<string>
}

/** A validated request. */
export interface EndpointRequest<Query, Body = unknown> {
  readonly query: Query
  /** Undefined where the endpoint declares no `body`; the request's body is then not read. */
  readonly body: Body
  /**
   * The body of an endpoint with `upload`, as it arrives; empty for any other.
   * @throws {Problem} while it is read: payload_too_large; malformed_request when it ends early; unauthorized and
   * insufficient_scope when the key ends meanwhile
   */
  readonly upload: AsyncIterable<Uint8Array>
  /** The holder of the key that was sent; undefined without a valid one. */
  readonly holder: KeyHolder | undefined
  /** The caller sent a valid key that has the scope `read`, or the server has no key set. */
  readonly mayRead: boolean
  /** Callers without a key see invite codes (`PUBLIC_INVITE_CODES`). */
  readonly publicInviteCodes: boolean
  /** The badge is not turned off (`PUBLIC_BADGE`). */
  readonly publicBadge: boolean
  /** Discord sends its commands to this server (`DISCORD_PUBLIC_KEY`). */
  readonly takesDiscord: boolean
  /** What the cookie of a sign-in that has begun holds. */
  readonly attempt: string | undefined
  /** Who calls, for the audit. */
  readonly from: Pick<BegunWrite, 'requestId' | 'address' | 'isCommand'>
  /** Now, ISO 8601 UTC with milliseconds. */
  readonly now: string
  /** The requested part of a download, by its headers; undefined for `HEAD`. */
  readonly range?: RangeHeaders | undefined
  /** Whether the key still has the scope of the endpoint; a long answer ends when it does not. */
  isStillAllowed(): boolean
  /** This request for another endpoint, with the right of another holder. @param query of that endpoint */
  onBehalf<Other>(query: Other, right: Right): EndpointRequest<Other, undefined>
  /**
   * The wait of a long poll: calls `probe` now and after every event of the game until it returns a value.
   * @param milliseconds maximum of the wait
   * @returns undefined when the time is over
   */
  until<Found>(milliseconds: number, probe: () => Promise<Found | undefined>): Promise<Found | undefined>
  /**
   * Called by a long poll each time it reads the game, with the current values that its filters compare. The answer
   * then has the header `X-Predicate-Changed-At-Ms-Ago`.
   */
  filtered(values: Readonly<Record<string, unknown>>): void
}

/** `Range` and `If-Range` of RFC 9110. */
export interface RangeHeaders {
  readonly range?: string | undefined
  readonly ifRange?: string | undefined
}

/** Who may call an endpoint: anyone, or the holder of a key with this scope (of any key where none is named). */
export type Access =
  | { readonly access: 'public'; readonly scope?: undefined }
  | { readonly access: 'key'; readonly scope?: Scope }

/** A JSON body: its schema, and the largest size in bytes. */
export interface JsonBody<Body> {
  /** A body of any other `Content-Type` is refused, and a body is required unless it `isOptional`. */
  readonly type?: 'application/json'
  readonly isOptional?: true
  readonly schema: v.GenericSchema<unknown, Body>
  /**
   * Reads the parsed JSON where the schema alone would be too strict.
   * @param json undefined for a body that is not JSON, empty ones included
   * @throws {Problem} invalid_parameter
   */
  read?(json: unknown, isEmpty: boolean): Body
  readonly example: unknown
  readonly maxBytes: number
  /** What the audit shows of a body's members, in place of all known members as they were sent. */
  readonly audited?: (members: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
}

/** What a runtime needs of it to receive the body. */
export type BodyLimits = Pick<JsonBody<unknown>, 'type' | 'isOptional' | 'maxBytes'>

/** A body that is too large for memory: the handler reads it while it arrives. */
export interface Upload {
  /** A body of any other `Content-Type` is refused. */
  readonly type: 'application/zip'
  readonly maxBytes: number
  readonly description: string
}

export type Endpoint<P extends Parameters = Parameters, Result = unknown, Body = unknown> = Access &
  Answered<Result> &
  Routed<P> &
  Described<P, Result, Body> &
  Handled<P, Result, Body>

type Handled<P extends Parameters, Result, Body> =
  | ({ readonly at?: undefined } & HandledWith<P, Result, Body, EdgePorts>)
  /** Only the farm's own process can answer; the edge forwards the call to it over the link. */
  | ({ readonly at: 'farm' } & HandledWith<P, Result, Body, FarmPorts>)

interface HandledWith<P extends Parameters, Result, Body, Ports> {
  /**
   * Refuses values that are valid alone but not together. It needs no port, so the edge runs it too.
   * @throws {Problem} invalid_parameter
   */
  check?(sent: Pick<EndpointRequest<QueryOf<P>, Body>, 'query' | 'body'>): void
  /** @throws {Problem | FarmError} */
  handle(request: EndpointRequest<QueryOf<P>, Body>, farm: Ports): Promise<Result> | Result
}

/** An endpoint of the fleet, which needs its key (FLEET_KEY). It calls no farm. Unknown parameters are refused. */
export type FleetEndpoint<P extends Parameters = Parameters, Result = unknown, Body = unknown> = Routed<P> &
  OfFleet<P, Result, Body>

type OfFleet<P extends Parameters, Result, Body> = RecordAnswer<Result> &
  Described<P, Result, Body> & {
    /** @throws {Problem} */
    handle(request: FleetCall<QueryOf<P>, Body>, fleet: Fleet): Promise<Result>
  }

interface FleetCall<Query, Body> {
  /** The `{farm}` of the path; empty without one. */
  readonly farm: string
  readonly query: Query
  /** Undefined where the endpoint declares no `body`. */
  readonly body: Body
}

/** What an endpoint answers: a record as JSON, or a stream. */
type Answered<Result> =
  | RecordAnswer<Result>
  | { readonly stream: StreamDescription; readonly result?: never; readonly example?: never }

interface RecordAnswer<Result> {
  readonly result: v.GenericSchema<unknown, Result>
  /** A result as `handle` returns it; clients also see the text of each id (`idText`). */
  readonly example: Result
  readonly stream?: undefined
}

/** What OpenAPI says of a stream. */
export interface StreamDescription {
  readonly type: string
  /** The further ones, where not all answers have the same. */
  readonly otherTypes?: readonly string[]
  readonly description: string
  /** Of a text, or of each line; undefined for bytes. */
  readonly schema?: v.GenericSchema
  /** Completes the answer 206 where a part can be requested. */
  readonly part?: string
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Path = `/${string}`

interface Routed<P extends Parameters> {
  readonly method: Method
  /** Matched exactly and case-sensitively. */
  readonly path: Path
  readonly parameters: P
  /** Error codes of this endpoint in addition to those of every endpoint. */
  readonly problems: readonly ProblemCode[]
}

interface Described<P extends Parameters, Result, Body> {
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
    | 'Accounts'
    | 'History'
    | 'Backups'
    | 'Downloads'
    | 'Host'
    | 'Schedules'
    | 'Saves'
    | 'Mods'
    | 'Webhooks'
    | 'Discord'
    | 'Fleet'
  readonly operationId: string
  /** One line for the reference page. */
  readonly summary: string
  /** The error codes whose bodies have more members than every error has, and the schemas of those members. */
  readonly problemMembers?: readonly {
    readonly code: ProblemCode
    readonly schema: v.GenericSchema
    readonly example: object
  }[]
  /**
   * Set where JunimoServer answers a refusal with 200 and `success:false`, and so does farmgate with `REFUSALS=200`:
   * the additional members of that refusal.
   */
  readonly refusals?: object
  /** At least one parameter, or member of the body, must be sent, although none is required. */
  readonly needsOne?: true
  /** Milliseconds that the answer may take, where that is far longer than usual. */
  readonly budget?: number
  /**
   * A change of the records that its answer marks with `stored` while records are in memory. A call that takes something
   * away marks its answer itself, because room for it is reserved (`deletion.ts`).
   */
  readonly keeps?: true
  /** The status of an answer without an error; 200 unless given. */
  readonly status?: 201 | 202
  /** Whether a result existed before the request; the answer is then 200. */
  existed?(result: Result, query: QueryOf<P>): boolean
  /** Set where a JSON body is read: its schema, and the largest size in bytes. */
  readonly body?: JsonBody<Body>
  /** Set where the body is an upload. */
  readonly upload?: Upload
  /** The result is a `Redirect`: the answer is 303, for browsers. */
  readonly redirect?: true
  /** The answer removes the cookie of the session. */
  readonly endsSession?: true
  /** CORS: web pages of any origin may read the answer (`/health` and `/status`). */
  readonly anyOrigin?: true
  /** Health checks use it: requests without a key have a separate rate limit here. */
  readonly isProbe?: true
}

type None = Readonly<Record<never, never>>

/** None unless given. */
type ParametersAndProblems<P extends Parameters> = Partial<Pick<Routed<P>, 'parameters' | 'problems'>>

/** `access` is `key` unless given. */
type Given<P extends Parameters, Result, Body> = (
  | Access
  | { readonly access?: never; readonly scope?: Scope }
) &
  Answered<Result> &
  ParametersAndProblems<P> &
  Described<P, Result, Body> &
  Handled<P, Result, Body>

function routed(route: `${Method} ${Path}`) {
  const [method, path] = route.split(' ') as [Method, Path]
  return { method, path, parameters: {}, problems: [] }
}

/**
 * Infers the types of `handle` from the parameters, the body and the result of the same descriptor; keeps those of the
 * schemas.
 */
export const endpoint = <
  const Id extends string,
  Schema extends v.GenericSchema,
  const P extends Parameters = None,
  Body extends v.GenericSchema = v.UndefinedSchema<undefined>,
>(
  route: `${Method} ${Path}`,
  described: Given<P, v.InferOutput<Schema>, v.InferOutput<Body>> & Schemas<Id, Schema, Body>,
) =>
  ({ access: 'key', ...routed(route), ...described }) as Endpoint<
    P,
    v.InferOutput<Schema>,
    v.InferOutput<Body>
  > &
    Schemas<Id, Schema, Body>

interface Schemas<Id, Schema extends v.GenericSchema, Body extends v.GenericSchema> {
  readonly operationId: Id
  readonly result: Schema
  readonly example: v.InferOutput<Schema>
  readonly body?: { readonly schema: Body }
}

/** An endpoint whose answer is a stream. */
export const streamEndpoint = <const P extends Parameters = None>(
  route: `${Method} ${Path}`,
  described: Given<P, Stream, undefined> & { readonly stream: StreamDescription },
) =>
  ({ access: 'key', ...routed(route), ...described }) as Endpoint<P, Stream, undefined> & {
    readonly stream: StreamDescription
  }

/** Infers the types of `handle` as `endpoint` does. */
export const fleetEndpoint = <
  Schema extends v.GenericSchema,
  const P extends Parameters = None,
  Body extends v.GenericSchema = v.UndefinedSchema<undefined>,
>(
  route: `${Method} ${Path}`,
  described: OfFleet<P, v.InferOutput<Schema>, v.InferOutput<Body>> &
    ParametersAndProblems<P> & {
      readonly result: Schema
      readonly body?: { readonly schema: Body }
    },
) => ({ ...routed(route), ...described })
