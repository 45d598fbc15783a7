/**
 * The control API as one Hono app, the same on Node and at the edge. Each path has one handler that makes all checks
 * itself, because Hono's own middleware for them takes several times the processor time (`npm run bench http`).
 */
import { type Context, Hono } from 'hono'
import type { Backups } from '../handlers/backups.ts'
import { endpoints } from '../handlers/endpoints/all-endpoints.ts'
import { auditFilter } from '../handlers/endpoints/audit.ts'
import { backupId } from '../handlers/endpoints/delete-backup.ts'
import type { GameBridge } from '../handlers/game-bridge.ts'
import { mayBeMade } from '../handlers/game-error.ts'
import type { GameEvent } from '../handlers/game-event.ts'
import { allows, type KeyHolder } from '../handlers/key-holder.ts'
import { readQuery } from '../handlers/parameter.ts'
import { Problem, problemStatus } from '../handlers/problem.ts'
import type { Records } from '../handlers/records.ts'
import type { AddressLines } from './address-lines.ts'
import type { Audit } from './audit.ts'
import { auditExport } from './audit-export.ts'
import { backupDownload } from './backup-download.ts'
import { answerInteractions, type DiscordSettings, interactionsPath } from './discord-interactions.ts'
import { endpointRoute, type Route, type Visit } from './endpoint-route.ts'
import { allowanceOf } from './http/allowance.ts'
import { type Answer, problemAnswer, problemResponse, textAnswer } from './http/answer.ts'
import { type Caller, isCommand } from './http/caller.ts'
import type { OriginRules } from './http/cors.ts'
import { causeOf, problemFrom } from './http/failure.ts'
import { type Gate, requireScope } from './http/gate.ts'
import { guardedAnswer } from './http/guarded-answer.ts'
import { accessOf, allowedMethods, preflightAnswer } from './http/methods.ts'
import type { Metrics } from './http/metrics.ts'
import { wantsPage, withoutSlash, withSlash } from './http/page-redirect.ts'
import { filterChanges } from './http/predicate-changed-at.ts'
import { requestIdOf } from './http/request-id.ts'
import { responseOf } from './http/response-headers.ts'
import { hasTrailingSlash, requestPath, searchOf } from './http/target.ts'
import type { Log } from './log.ts'

/**
 * A page or document that is the same for every client: the dashboard, the page at `/docs`, their files, OpenAPI, AsyncAPI.
 * @param file the last part of the path where the path of the page ends with `/:file`
 */
export type Page = (file: string) => Answer | Promise<Answer>

export interface RouterOptions<Env extends object> {
  readonly game: GameBridge
  readonly records: Records
  readonly backups: Backups
  readonly gate: Gate
  readonly audit: Audit
  readonly origins: OriginRules
  /** See `ResponseContext`. */
  readonly ageOnRefusals: boolean
  readonly metrics: Metrics
  readonly log: Log
  /** Says which refused requests are logged. */
  readonly refusals: AddressLines
  readonly publicInviteCodes: boolean
  /** Undefined where Discord is not set up. */
  readonly discord?: DiscordSettings | undefined
  /** Called when a server of Discord was bound to this farm. */
  boundDiscord?(serverId: string): Promise<void>
  /** Prefix that a proxy may leave on the path; empty for none. */
  readonly basePath: string
  /** See `guardedAnswer`. */
  fixedLength?(body: ReadableStream<Uint8Array>, length: number): typeof body
  readonly pages: ReadonlyMap<string, Page>
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds of a monotonic clock, for the duration of requests. */
  monotonic(): number
  newRequestId(): string
  /** Calls the listener with the events that the game sends anyway; it does not ask the game for more events. */
  hear(listener: (event: GameEvent) => void): void
  /** Aborted when the process stops: long polls are then answered with 408. */
  readonly stopping?: AbortSignal
  caller(request: Request, env: Env): Caller
  /** Accepts a `GET /ws` whose origin is allowed. */
  upgrade(c: Context<{ Bindings: Env }>, caller: Caller): Response | Promise<Response>
}

type Methods<Env extends object> = ReadonlyMap<string, Route<Env>>

export function createRouter<Env extends object>(options: RouterOptions<Env>): Hono<{ Bindings: Env }> {
  const { gate, audit, origins, metrics, log, refusals, monotonic } = options
  type RouteContext = Context<{ Bindings: Env }>

  const routes = new Map<string, Map<string, Route<Env>>>()
  const add = (method: string, path: string, route: Omit<Route<Env>, 'metrics' | 'allowance'>) => {
    const methods = routes.get(path) ?? new Map<string, Route<Env>>()
    const made = { ...route, allowance: allowanceOf(method, path), metrics: metrics.route(method, path) }
    routes.set(path, methods.set(method, made))
  }
  /** Downloads and exports break off when their key expires, is revoked or loses its scope while they are sent. */
  const isStillAdmin = (holder: KeyHolder | undefined) => () => {
    const current = holder && gate.current(holder)
    return current !== undefined && allows(current, 'admin')
  }
  const changes = filterChanges(options.now)
  options.hear(changes.heard)
  for (const endpoint of endpoints)
    add(endpoint.method, endpoint.path, endpointRoute(endpoint, { ...options, changes }))
  const { '/': front, ...pages } = Object.fromEntries(options.pages)
  for (const [path, page] of Object.entries(pages)) {
    const pageAtSlash = pages[`${path}/`]
    if (path.endsWith('/')) continue
    add('GET', path, {
      access: 'public',
      answer: ({ c }) => {
        const file = c.req.param('file') ?? ''
        if (!hasTrailingSlash(c.req.raw.url)) return page(file)
        return pageAtSlash?.(file) ?? withoutSlash(c.req.path)
      },
    })
  }
  if (front !== undefined)
    add('GET', '/', {
      access: 'public',
      answer: ({ c }) =>
        hasTrailingSlash(c.req.raw.url) ? front('') : withSlash(options.basePath.replace(/^.*\//, '')),
    })
  add('GET', '/metrics', {
    access: 'key',
    scope: 'read',
    answer: async () => textAnswer(await metrics.registry.metrics(), metrics.registry.contentType),
  })
  add('GET', '/audit/export', {
    access: 'key',
    scope: 'admin',
    answer: ({ c, holder }) =>
      auditExport(options.records, readQuery(auditFilter, searchOf(c.req.raw.url)), isStillAdmin(holder)),
  })
  add('GET', '/backups/download', {
    access: 'key',
    scope: 'admin',
    answer: ({ c, caller, holder }) =>
      backupDownload(
        options.backups,
        readQuery(backupId, searchOf(c.req.raw.url)).id,
        c.req.raw.method === 'HEAD' ? {} : rangeOf(caller),
        isStillAdmin(holder),
      ),
  })
  add('GET', '/ws', {
    access: 'public',
    answer: ({ c, caller }) => {
      if (caller.header('upgrade')?.toLowerCase() !== 'websocket')
        throw new Problem('upgrade_required', 'Open this path as a WebSocket')
      gate.checkOrigin(caller)
      return options.upgrade(c, caller)
    },
  })
  const answerInteraction = answerInteractions({ ...options, changes })
  add('POST', interactionsPath, {
    access: 'public',
    answer: ({ c, caller, requestId }) => answerInteraction({ request: c.req.raw, caller, requestId }),
  })
  const unknownPath = metrics.route('*', '(unknown)')

  const answerOf = async (visit: Visit<Env>, methods: Methods<Env> | undefined) => {
    const { c, caller, requestId } = visit
    const method = methodOf(c)
    const route = methods?.get(method)
    gate.checkSize(c.req.raw.url, caller)
    const preflight = method === 'OPTIONS' ? preflightAnswer(caller, origins, methods) : undefined
    const effect = method === 'GET' || method === 'OPTIONS' ? 'read' : 'write'
    if (effect === 'write') gate.checkOrigin(caller)
    const access = preflight === undefined ? (route?.access ?? accessOf(methods)) : 'public'
    const holder = gate.admit(caller, access, effect, route?.allowance ?? allowanceOf(method, ''))
    visit.holder = holder
    if (effect === 'write' && holder !== undefined && route?.audited !== undefined) {
      const { action, parameters } = route.audited
      const from = {
        requestId,
        address: caller.address,
        ...(isCommand(caller) && { isCommand: true as const }),
      }
      visit.write = audit.write({ ...from, action }, holder, () => parameters(c.req.raw.url))
    }
    if (preflight !== undefined) return preflight
    if (methods === undefined) throw new Problem('not_found', 'Not found', { path: c.req.path })
    if (route === undefined)
      throw new Problem('method_not_allowed', 'Method not allowed', { allow: allowedMethods(methods) })
    if (holder !== undefined) requireScope(holder, route.scope)
    return route.answer(visit)
  }

  const answered = async (c: RouteContext, methods: Methods<Env> | undefined): Promise<Response> => {
    const began = monotonic()
    const caller = options.caller(c.req.raw, c.env)
    const requestId = requestIdOf(caller.header('x-request-id')) ?? options.newRequestId()
    const route = methods?.get(methodOf(c))
    const visit: Visit<Env> = { c, caller, requestId, holder: undefined }
    let isUnknown = false
    const answer = await answerOf(visit, methods).catch((error: unknown) => {
      isUnknown = !(error instanceof Problem) && mayBeMade(error)
      const problem = problemFrom(error)
      if (problem.code === 'internal_error' || problem.code === 'bad_game_response')
        log.error({ requestId, cause: causeOf(error) }, 'request failed')
      return problemAnswer(problem)
    })
    const isUpgrade = answer instanceof Response
    const status = isUpgrade ? switchingProtocols : answer.status
    await visit.write?.ended(status, isUnknown)
    const milliseconds = monotonic() - began
    ;(route?.metrics ?? unknownPath).observe(status, milliseconds / 1000)
    const line = {
      requestId,
      method: c.req.raw.method,
      path: c.req.path.slice(0, maxLoggedPath),
      status,
      ms: Math.round(milliseconds),
      address: caller.address,
    }
    // Public routes are polled a lot, also while the game is away, which the bridge logs once, and browsers ask before
    // each use: no line for each request.
    const isPublic = route?.access === 'public' || line.method === 'OPTIONS'
    if (isPublic && (status < 400 || status === gameAway)) log.debug(line, 'request')
    else if (status >= 500) log.warn(line, 'request')
    else if (status < 400 || visit.holder !== undefined || status === waitIsOver) log.info(line, 'request')
    else refusals.note(caller.address, () => log.info(line, 'request'))
    if (status === tooMany && visit.holder === undefined && gate.isFarOver(caller.address)) caller.farOver?.()
    if (isUpgrade) {
      answer.headers.set('X-Request-Id', requestId)
      return answer
    }
    const handedOver = 'length' in answer ? answer : guardedAnswer(answer, caller, options, line)
    return responseOf(handedOver, options, caller, requestId, route?.anyOrigin === true)
  }

  const app = new Hono<{ Bindings: Env }>({ getPath: requestPath(options.basePath) })
  for (const [path, methods] of routes)
    app.all(path, (c) => {
      const isThere = path !== '/' || wantsPage(c.req.raw.method, c.req.raw.headers.get('accept'))
      return answered(c, isThere ? methods : undefined)
    })
  app.notFound((c) => answered(c, undefined))
  // Hono's own handler writes the stack to standard error.
  app.onError((error) => {
    const requestId = options.newRequestId()
    log.error({ requestId, cause: causeOf(error) }, 'request failed')
    return problemResponse(problemFrom(error), requestId)
  })
  return app
}

/** Characters of a path that are logged. */
export const maxLoggedPath = 200
const switchingProtocols = 101
const gameAway = problemStatus.game_unavailable
const tooMany = problemStatus.rate_limited
const waitIsOver = problemStatus.wait_timeout

/** HEAD is handled as GET; Hono leaves out the body. */
const methodOf = (c: Context): string => (c.req.raw.method === 'HEAD' ? 'GET' : c.req.raw.method)

const rangeOf = (caller: Caller) => ({
  range: caller.header('range'),
  ifRange: caller.header('if-range'),
})
