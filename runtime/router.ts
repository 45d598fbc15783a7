/**
 * The control API as one function, the same on Node and at the edge. Paths are exact, so a map finds the routes of each;
 * a framework's router and middleware take several times the processor time (`npm run bench http`).
 */
import { problemStatus } from '../handlers/problem.ts'
import type { Api } from './api.ts'
import type { Visit } from './dispatch/endpoint-route.ts'
import { type Answer, problemAnswer, problemResponse, refusalAs200 } from './http/answer.ts'
import { causeOf, problemFrom } from './http/failure.ts'
import { guardedAnswer } from './http/guarded-answer.ts'
import { accessOf, allowedMethods, methodNotAllowed, preflightAnswer } from './http/methods.ts'
import { unknownPathProblem } from './http/nearest-path.ts'
import { wantsPage } from './http/page-redirect.ts'
import { requestIdOf } from './http/request-id.ts'
import { logRequest, maxLoggedPath } from './http/request-line.ts'
import { responseOf } from './http/response-headers.ts'
import { requestPath } from './http/target.ts'
import { anyFile, type Methods, routesOf, type Transport } from './routes.ts'

/** @param env what the runtime knows of the request; no error is thrown */
export type Router<Env extends object> = (request: Request, env: Env) => Promise<Response>

export function createRouter<Env extends object>(
  api: Api,
  { caller: callerOf, upgrade }: Transport<Env>,
): Router<Env> {
  const { gate, origins, metrics, log, monotonic, newRequestId, allowanceOf } = api
  const routes = routesOf(api, upgrade)
  const pathOf = requestPath(api.basePath)
  const unknownPath = metrics.route('*', '(unknown)')

  const answerOf = async (visit: Visit<Env>, methods: Methods<Env> | undefined) => {
    const { request, caller, path } = visit
    const method = methodOf(request)
    const route = methods?.get(method)
    gate.checkSize(request.url, caller)
    const preflight = method === 'OPTIONS' ? preflightAnswer(caller, origins, methods) : undefined
    const effect = method === 'GET' || method === 'OPTIONS' ? 'read' : 'write'
    if (effect === 'write') gate.checkOrigin(caller)
    const access = preflight === undefined ? (route?.access ?? accessOf(methods)) : 'public'
    const holder = gate.admit(caller, access, effect, route?.allowance ?? allowanceOf(method, ''))
    visit.holder = holder
    if (preflight !== undefined) return preflight
    if (methods === undefined) throw unknownPathProblem(path, routes.keys())
    if (route === undefined) throw methodNotAllowed(allowedMethods(methods))
    return route.answer(visit)
  }

  const answered = async (request: Request, env: Env): Promise<Response> => {
    const began = monotonic()
    const caller = callerOf(request, env)
    const requestId = requestIdOf(caller.header('x-request-id')) ?? newRequestId()
    const path = pathOf(request)
    const isThere = path !== '/' || wantsPage(request.method, request.headers.get('accept'))
    const methods = isThere ? (routes.get(path) ?? routes.get(withAnyFile(path))) : undefined
    const route = methods?.get(methodOf(request))
    const visit: Visit<Env> = { request, env, path, caller, requestId, holder: undefined }
    let refusal: Answer | undefined
    const answer = await answerOf(visit, methods).catch((error: unknown) => {
      const problem = problemFrom(error)
      if (problem.code === 'internal_error' || problem.code === 'bad_game_response')
        log.error({ requestId, cause: causeOf(error) }, 'request failed')
      if (
        api.refusalsAs200 &&
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
      method: request.method,
      path: path.slice(0, maxLoggedPath),
      status,
      ms: Math.round(milliseconds),
      address: caller.address,
    }
    const asked = { isPublic: route?.access === 'public', isHolder: visit.holder !== undefined }
    logRequest(line, asked, api)
    if (status === tooMany && visit.holder === undefined && gate.isFarOver(caller.address)) caller.farOver?.()
    if (isUpgrade) {
      answer.headers.set('X-Request-Id', requestId)
      return answer
    }
    // The audit, the metrics and the log have the status that shows what happened.
    if (refusal !== undefined) return responseOf(refusal, api, caller, requestId, false)
    const handedOver = 'length' in answer ? answer : guardedAnswer(answer, caller, api, line)
    return responseOf(handedOver, api, caller, requestId, route?.anyOrigin === true)
  }

  return async (request, env) => {
    try {
      const response = await answered(request, env)
      return request.method === 'HEAD' ? new Response(null, response) : response
    } catch (error) {
      const requestId = newRequestId()
      log.error({ requestId, cause: causeOf(error) }, 'request failed')
      return problemResponse(problemFrom(error), requestId)
    }
  }
}

const switchingProtocols = 101
const tooMany = problemStatus.rate_limited

/** HEAD is handled as GET, and its answer is sent without the body. */
const methodOf = ({ method }: Request): string => (method === 'HEAD' ? 'GET' : method)

/** The path of all files of one folder. */
const withAnyFile = (path: string): string => `${path.slice(0, path.lastIndexOf('/'))}${anyFile}`
