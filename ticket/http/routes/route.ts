import type { Clock } from '../../../lib/clock.ts'
import type { AppTicketCache } from '../../app-ticket-cache.ts'
import type { LobbyKeeper } from '../../lobby.ts'
import type { PlatformPort } from '../../platform-port.ts'
import type { Setup } from '../../setup/open-setup.ts'

/** What a handler receives in addition to the request. */
export interface Services {
  readonly platform: PlatformPort
  readonly tickets: AppTicketCache
  readonly lobby: LobbyKeeper
  readonly setup: Setup
  readonly clock: Clock
  readonly appId: number
  /** `GAME_DIR`. */
  readonly gameDir: string
  /** Prometheus text. */
  metrics(): Promise<string>
}

/** A request after routing, access check and body parsing. */
export interface TicketRequest {
  /** Number of the account; there is only account 0. */
  readonly account: number
  /** Whether the access check passed. Always true except on open routes. */
  readonly allowed: boolean
  /** Of the client, also where the control API passes on its request (`addressOf`). */
  readonly address: string
  /** Parsed body of a POST, 64-bit numbers as bigints; undefined on a route without a body. */
  readonly body: unknown
  /** @returns a parameter of the query; undefined when it is missing */
  query(name: string): string | undefined
  /** @returns a header by its lower-case name */
  header(name: string): string | undefined
}

export interface TicketAnswer {
  readonly status: number
  /** An object is sent as compact JSON, a text as it is. */
  readonly body: object | string
  readonly headers?: Readonly<Record<string, string>>
}

/** One endpoint: its paths, who may call it, and a function of the request and the services. */
export interface Route {
  readonly method: 'GET' | 'POST'
  /** One line for the reference page. */
  readonly summary: string
  /** A body of an answer without an error. */
  readonly example: object | string
  /** A body that a caller sends. */
  readonly sent?: object
  /** The status of an answer without an error, unless 200. */
  readonly status?: 202 | 410
  /** The paths of this route: `/platform/…`, and `/steam/…` where the existing sidecar has the route. */
  readonly paths: readonly string[]
  /** Also answers callers that fail the access check; the set-up limits them itself. */
  readonly open?: true | 'setup'
  /** A POST whose body is not read: its callers send none. */
  readonly isBodyless?: boolean
  /** Ignores `?account=`. */
  readonly anyAccount?: boolean
  handle(request: TicketRequest, services: Services): TicketAnswer | Promise<TicketAnswer>
  /** Turns the answer of a failed request into the shape that this endpoint's callers read. */
  onProblem?(answer: TicketAnswer): TicketAnswer
}
