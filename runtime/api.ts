/** The parts of one control API, on Node and at the edge. */
import type { EdgeEndpoint } from '../handlers/forwarded-endpoint.ts'
import type { GameEvent } from '../handlers/game-event.ts'
import type { SetupPort } from '../handlers/setup.ts'
import { addressLines } from '../lib/address-lines.ts'
import type { Clock } from '../lib/clock.ts'
import type { KeyCheck } from '../lib/keys.ts'
import type { Log } from '../lib/log.ts'
import type { Rates } from '../lib/rate-limit.ts'
import type { DiscordSettings } from '../services/discord/signed-commands.ts'
import { createAudit } from './dispatch/audit.ts'
import type { Ports } from './dispatch/call.ts'
import { dispatcher } from './dispatch/dispatch.ts'
import { openStreams } from './dispatch/open-streams.ts'
import { allowances } from './http/allowance.ts'
import type { Answer } from './http/answer.ts'
import type { OriginRules } from './http/cors.ts'
import { createGate } from './http/gate.ts'
import { createMetrics, metricsText } from './http/metrics.ts'
import { filterChanges } from './http/predicate-changed-at.ts'
import { limitsOf } from './http/rate-limit.ts'
import type { Page as OwnPage } from './http/session-cookies.ts'

/**
 * A page or document that is the same for every client: the dashboard, the help, the page at `/docs`, their
 * files, OpenAPI, AsyncAPI.
 * @param file the last part of the path where the path of the page ends with `/:file`
 * @param root the absolute URL of the API as the client reached it, without a slash at its end
 */
export type Page = (file: string, root: string, request: Request) => Answer | Promise<Answer>

/** What a runtime gives its API. */
export interface ApiParts extends Pick<Clock, 'now' | 'monotonic'> {
  readonly endpoints: readonly EdgeEndpoint[]
  readonly farm: Ports
  readonly keys: KeyCheck
  readonly rates: Rates
  readonly origins: OriginRules
  readonly page: OwnPage
  readonly publicInviteCodes: boolean
  readonly publicBadge: boolean
  /** Refusals of some endpoints are 200, as JunimoServer answers them (`REFUSALS=200`). */
  readonly refusalsAs200: boolean
  /** Undefined where Discord is not set up. */
  readonly discord?: DiscordSettings | undefined
  /** Called when a Discord server was bound to this farm. */
  boundDiscord?(serverId: string): Promise<void>
  /** Undefined at the edge, and without a ticket service. */
  readonly setup?: SetupPort | undefined
  readonly pages: ReadonlyMap<string, Page>
  /** Prefix that a proxy may leave on the path; empty for none. */
  readonly basePath: string
  /** See `ResponseContext`. */
  readonly ageOnRefusals: boolean
  /** See `guardedAnswer`. */
  fixedLength?(body: ReadableStream<Uint8Array>, length: number): typeof body
  /** Ends long polls when the process stops. */
  readonly stopping?: AbortSignal
  /** Calls the listener with the events that the game already sends; it asks the game for no further events. */
  hear(listener: (event: GameEvent) => void): void
  readonly log: Log
  newRequestId(): string
}

/** Each function takes the members of it that it uses. */
export type Api = ReturnType<typeof createApi>

export function createApi(parts: ApiParts) {
  const { log, now, monotonic } = parts
  const { game, records } = parts.farm
  const metrics = createMetrics(game, now)
  const audit = createAudit({ ...parts, records, metrics: metrics.audit })
  const gate = createGate({ ...parts, notices: audit, limits: limitsOf(parts.rates, now), metrics })
  const changes = filterChanges(now)
  parts.hear(changes.heard)
  const farm = { ...parts.farm, metrics: metricsText(metrics.registry) }
  const streams = openStreams(parts)
  const dispatch = dispatcher({ ...parts, farm, gate, audit, changes, streams })
  const refusalLines = addressLines({
    now: monotonic,
    leftOut: (address, requests) =>
      log.info({ address, requests }, 'more requests of this address were refused in the last minute'),
  })
  const allowanceOf = allowances(parts.endpoints)
  return {
    ...parts,
    metrics,
    audit,
    gate,
    /** Which refused requests are logged: one a minute and address, then the number of the others. */
    refusalLines,
    dispatch,
    streams,
    allowanceOf,
  }
}
