/**
 * The control API as one Hono app, the same on Node and at the edge. Each path has one handler that makes all checks
 * itself, because Hono's own middleware for them takes several times the processor time (`npm run bench http`).
 */
import type { Context } from 'hono'
import { HonoBase } from 'hono/hono-base'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import { causeOf, problemFrom } from '../handlers/problem.ts'
import { statusOf } from '../handlers/problem-table.ts'
import type { Api } from './api.ts'
import type { Route, Visit } from './endpoint-route.ts'
import { type Answer, problemAnswer, problemResponse, refusalAs200 } from './http/answer.ts'
import { guardedAnswer } from './http/guarded-answer.ts'
import { accessOf, allowedMethods, methodNotAllowed, preflightAnswer } from './http/methods.ts'
import { unknownPathProblem } from './http/nearest-path.ts'
import { wantsPage } from './http/page-redirect.ts'
import { requestIdOf } from './http/request-id.ts'
import { logRequest, maxLoggedPath } from './http/request-line.ts'
import { responseOf } from './http/response-headers.ts'
import { requestPath } from './http/target.ts'
import { type Methods, routesOf, type Transport } from './routes.ts'

export function createRouter<Env extends object>(
  api: Api,
  { caller: callerOf, upgrade }: Transport<Env>,
): HonoBase<{ Bindings: Env }> {
  const { gate, origins, metrics, log, monotonic, newRequestId, allowanceOf } = api
  const routes = routesOf(api, upgrade)
  const unknownPath = metrics.route('*', '(unknown)')

  const answerOf = (visit: Visit<Env>, methods: Methods<Env> | undefined, route: Route<Env> | undefined) => {
    const { c, caller } = visit
    const method = methodOf(c)
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
    const caller = callerOf(c.req.raw, c.env)
    const requestId = requestIdOf(caller.header('x-request-id')) ?? newRequestId()
    const route = methods?.get(methodOf(c))
    const visit: Visit<Env> = { c, caller, requestId, holder: undefined }
    let refusal: Answer | undefined
    let answer: Awaited<ReturnType<Route<Env>['answer']>>
    try {
      answer = await answerOf(visit, methods, route)
    } catch (error) {
      const problem = problemFrom(error)
      if (problem.code === 'internal_error' || problem.code === 'bad_game_response')
        log.error({ requestId, cause: causeOf(error) }, 'request failed')
      if (
        api.refusalsAs200 &&
        visit.holder !== undefined &&
        route?.refusals?.codes.has(problem.code) === true
      )
        refusal = refusalAs200(problem, route.refusals.members)
      answer = problemAnswer(problem)
    }
    const status = answer instanceof Response ? switchingProtocols : answer.status
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
    logRequest(line, asked, api)
    if (status === tooMany && visit.holder === undefined && gate.isFarOver(caller.address)) caller.farOver?.()
    if (answer instanceof Response) {
      answer.headers.set('X-Request-Id', requestId)
      return answer
    }
    // The audit, the metrics and the log have the status that shows what happened.
    if (refusal !== undefined) return responseOf(refusal, api, caller, requestId, false)
    // Nothing reads the body of an answer to HEAD.
    const isComplete = c.req.raw.method === 'HEAD'
    const handedOver = 'length' in answer || isComplete ? answer : guardedAnswer(answer, caller, api, line)
    return responseOf(handedOver, api, caller, requestId, route?.anyOrigin === true)
  }

  // The one router of Hono that finds an exact path in a map. `Hono` would bring two more.
  const app = new HonoBase<{ Bindings: Env }>({
    getPath: requestPath(api.basePath),
    router: new RegExpRouter(),
  })
  for (const [path, methods] of routes)
    app.all(path, (c) => {
      const isThere = path !== '/' || wantsPage(c.req.raw.method, c.req.raw.headers.get('accept'))
      return answered(c, isThere ? methods : undefined)
    })
  app.notFound((c) => answered(c, undefined))
  // Hono's own handler writes the stack to standard error.
  app.onError((error) => {
    const requestId = newRequestId()
    log.error({ requestId, cause: causeOf(error) }, 'request failed')
    return problemResponse(problemFrom(error), requestId)
  })
  return app
}

const switchingProtocols = 101
const tooMany = statusOf('rate_limited')

/** HEAD is handled as GET; Hono omits the body. */
const methodOf = (c: Context): string => (c.req.raw.method === 'HEAD' ? 'GET' : c.req.raw.method)
