/**
 * The control API as one Hono app, the same on Node and at the edge. Each path has one handler that makes all checks
 * itself, because Hono's own middleware for them takes several times the processor time (`npm run bench http`).
 */
import { type Context, Hono } from 'hono'
import type { GameBridge } from '../handlers/game-bridge.ts'
import { problemStatus } from '../handlers/problem.ts'
import type { AddressLines } from '../lib/address-lines.ts'
import type { Visit } from './dispatch/endpoint-route.ts'
import { allowanceOf } from './http/allowance.ts'
import { type Answer, problemAnswer, problemResponse, refusalAs200 } from './http/answer.ts'
import type { Caller } from './http/caller.ts'
import type { OriginRules } from './http/cors.ts'
import { causeOf, problemFrom } from './http/failure.ts'
import { guardedAnswer } from './http/guarded-answer.ts'
import { accessOf, allowedMethods, methodNotAllowed, preflightAnswer } from './http/methods.ts'
import { unknownPathProblem } from './http/nearest-path.ts'
import { wantsPage } from './http/page-redirect.ts'
import { requestIdOf } from './http/request-id.ts'
import { logRequest, maxLoggedPath } from './http/request-line.ts'
import { responseOf } from './http/response-headers.ts'
import { requestPath } from './http/target.ts'
import { type Methods, type RoutesOptions, routesOf } from './routes.ts'

export interface RouterOptions<Env extends object> extends RoutesOptions<Env> {
  readonly game: Pick<GameBridge, 'health'>
  readonly origins: OriginRules
  /** See `ResponseContext`. */
  readonly ageOnRefusals: boolean
  /** Says which refused requests are logged. */
  readonly refusals: AddressLines
  /** See `guardedAnswer`. */
  fixedLength?(body: ReadableStream<Uint8Array>, length: number): typeof body
  /** Refusals of some endpoints are 200, as JunimoServer answers them (`REFUSALS=200`). */
  readonly refusalsAs200: boolean
  newRequestId(): string
  caller(request: Request, env: Env): Caller
}

export function createRouter<Env extends object>(options: RouterOptions<Env>): Hono<{ Bindings: Env }> {
  const { gate, origins, metrics, log, monotonic } = options
  const routes = routesOf(options)
  const unknownPath = metrics.route('*', '(unknown)')

  const answerOf = async (visit: Visit<Env>, methods: Methods<Env> | undefined) => {
    const { c, caller } = visit
    const method = methodOf(c)
    const route = methods?.get(method)
    gate.checkSize(c.req.raw.url, caller)
    const preflight = method === 'OPTIONS' ? preflightAnswer(caller, origins, methods) : undefined
    const effect = method === 'GET' || method === 'OPTIONS' ? 'read' : 'write'
    if (effect === 'write') gate.checkOrigin(caller)
    const access = preflight === undefined ? (route?.access ?? accessOf(methods)) : 'public'
    const holder = gate.admit(caller, access, effect, route?.allowance ?? allowanceOf(method, ''))
    visit.holder = holder
    if (preflight !== undefined) return preflight
    if (methods === undefined) throw unknownPathProblem(c.req.path, routes.keys())
    if (route === undefined) throw methodNotAllowed(allowedMethods(methods))
    return route.answer(visit)
  }

  const answered = async (
    c: Context<{ Bindings: Env }>,
    methods: Methods<Env> | undefined,
  ): Promise<Response> => {
    const began = monotonic()
    const caller = options.caller(c.req.raw, c.env)
    const requestId = requestIdOf(caller.header('x-request-id')) ?? options.newRequestId()
    const route = methods?.get(methodOf(c))
    const visit: Visit<Env> = { c, caller, requestId, holder: undefined }
    let refusal: Answer | undefined
    const answer = await answerOf(visit, methods).catch((error: unknown) => {
      const problem = problemFrom(error)
      if (problem.code === 'internal_error' || problem.code === 'bad_game_response')
        log.error({ requestId, cause: causeOf(error) }, 'request failed')
      if (
        options.refusalsAs200 &&
        visit.holder !== undefined &&
        route?.refusals?.codes.has(problem.code) === true
      )
        refusal = refusalAs200(problem, route.refusals.members)
      return problemAnswer(problem)
    })
    const isUpgrade = answer instanceof Response
    const status = isUpgrade ? switchingProtocols : answer.status
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
    const asked = { isPublic: route?.access === 'public', isHolder: visit.holder !== undefined }
    logRequest(line, asked, options)
    if (status === tooMany && visit.holder === undefined && gate.isFarOver(caller.address)) caller.farOver?.()
    if (isUpgrade) {
      answer.headers.set('X-Request-Id', requestId)
      return answer
    }
    // The audit, the metrics and the log have the status that says what happened.
    if (refusal !== undefined) return responseOf(refusal, options, caller, requestId, false)
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

const switchingProtocols = 101
const tooMany = problemStatus.rate_limited

/** HEAD is handled as GET; Hono leaves out the body. */
const methodOf = (c: Context): string => (c.req.raw.method === 'HEAD' ? 'GET' : c.req.raw.method)
