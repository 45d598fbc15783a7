/**
 * The Worker's entry. It limits addresses, answers the fleet's API and the documents itself, and forwards everything
 * else to the farm's Durable Object.
 */
import type { FleetEndpoint } from '../../handlers/endpoint.ts'
import { edgeEndpoints } from '../../handlers/endpoints/edge-endpoints.ts'
import { healthRecord } from '../../handlers/endpoints/health.ts'
import { Problem } from '../../handlers/problem.ts'
import { interactionsPath } from '../../services/discord/signed-commands.ts'
import { type Answer, emptyAnswer, problemResponse, resultAnswer, securityHeaders } from '../http/answer.ts'
import { originRules, shownOrigin } from '../http/cors.ts'
import { originProblem, sizeProblem } from '../http/gate.ts'
import { methodNotAllowed } from '../http/methods.ts'
import { wantsPage, withSlash } from '../http/page-redirect.ts'
import { requestIdOf } from '../http/request-id.ts'
import { hasTrailingSlash, pathOf, requestPath, targetLength, withoutBase } from '../http/target.ts'
import { askFarm } from './ask-farm.ts'
import {
  addressHeader,
  edgeCaller,
  fleetKeyHeader,
  internalHeaders,
  keyOfHeader,
  prefixHeader,
} from './caller.ts'
import { configOf } from './config.ts'
import { type Documents, documentsOf } from './documents.ts'
import { answerAtEdge, edgeDiscord } from './edge-discord.ts'
import type { EdgeEnv } from './env.ts'
import { checkFarmName, fleetAnswer, hasFleetKey } from './fleet.ts'
import { isInstanceReady } from './instance-ready.ts'
import { edgeLog } from './log.ts'
import { defaultFarm, farmNameOf, fleetFarm } from './object-name.ts'
import { watchedFarm } from './watched-farm.ts'

export { FarmObject } from './farm-object.ts'
export { FleetObject } from './fleet-object.ts'

export default {
  async fetch(request: Request, env) {
    const requestId = requestIdOf(request.headers.get('x-request-id')) ?? crypto.randomUUID()
    const withKeyOwner = (response: Response) => {
      if (env.NAMES_KEY_OWNERS && hasFleetKey(request, env)) response.headers.set(keyOfHeader, 'fleet')
      return response
    }
    try {
      const answer = await route(request, env, requestId)
      return answer instanceof Response ? answer : withKeyOwner(responseOf(answer, requestId))
    } catch (error) {
      if (error instanceof Problem) return withKeyOwner(problemResponse(error, requestId))
      edgeLog(env.LOG_LEVEL).error({ requestId, cause: String(error) }, 'request failed')
      return problemResponse(new Problem('internal_error', 'Internal server error'), requestId)
    }
  },
} satisfies ExportedHandler<EdgeEnv>

async function route(request: Request, env: EdgeEnv, requestId: string): Promise<Answer | Response> {
  basePath ??= configOf(env).basePath
  const path = withoutBase(pathOf(request.url), basePath)
  if (!isConfigured(env) && bare(path) !== '/health')
    throw new Problem('not_configured', 'This edge has no keys yet: set API_KEY or FLEET_KEY', {
      retryAfter: 60,
    })
  const address = request.headers.get('cf-connecting-ip') ?? ''
  if (bare(path) === interactionsPath && request.method === 'POST') {
    readDiscord ??= edgeDiscord(env)
    // Only refused requests count, because the commands of all farms come from the few addresses of Discord.
    const read = await readDiscord(request).catch(async (problem) => {
      await countAddress(env, address)
      throw problem
    })
    return answerAtEdge(read, env, (farm, body) => {
      const { url, method, headers } = request
      return farmAnswer(new Request(url, { method, headers, body }), env, address, farm, path)
    })
  }
  await countAddress(env, address)

  if (path === '/' && !hasTrailingSlash(request.url) && wantsFrontPage(request))
    return withSlash(basePath.replace(/^.*\//, ''))
  const probed = ownProbe(bare(path), env)
  if (probed !== undefined) {
    guard(request, env)
    if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed('GET, HEAD')
    return probed
  }
  if (env.FLEET_KEY && wantsFrontPage(request)) {
    documents ??= documentsOf(env)
    if (path === '/fleet/') return documents.fleet()
    if (path === '/fleet') return withSlash('fleet')
    // Without a farm at the root, its page is that of the fleet.
    if (path === '/' && !env.API_KEY) return emptyAnswer(302, { Location: 'fleet/' })
  }
  const ofFleet = (called: FleetEndpoint['path'], farm: string) => {
    guard(request, env)
    return fleetAnswer(request, env, called, farm, { requestId, address })
  }
  if (bare(path) === '/farms') return ofFleet('/farms', '')
  // A PUT is refused below, by the name; a DELETE is that of a farm.
  for (const called of ['/farms/targets', '/farms/actions'] as const)
    if (bare(path) === called && !['PUT', 'DELETE'].includes(request.method)) return ofFleet(called, '')
  const [, farm, rest] = /^\/farms\/([^/]*)(\/.*)?$/.exec(path) ?? []
  if (farm === undefined) return farmAnswer(request, env, address, defaultFarm, path)
  checkFarmName(farm, request.method)
  if ((rest ?? '/') === '/' && ['PUT', 'PATCH', 'DELETE'].includes(request.method))
    return ofFleet('/farms/{farm}', farm)
  if (bare(rest ?? '/') === '/dashboard-link') return ofFleet('/farms/{farm}/dashboard-link', farm)
  if (rest === undefined && wantsFrontPage(request)) return withSlash(farm)
  return farmAnswer(request, env, address, fleetFarm(farm), rest ?? '/')
}

/**
 * The limits of every server, and its guard against pages of other origins, for what the Worker itself answers. The
 * object of a farm has its own.
 * @throws {Problem} uri_too_long, headers_too_large, origin_not_allowed
 */
function guard(request: Request, env: EdgeEnv): void {
  const { headBytes, header } = edgeCaller(request)
  const tooLarge = sizeProblem(targetLength(request.url), headBytes)
  if (tooLarge !== undefined) throw tooLarge
  const origin = header('origin')
  if (origin === undefined || ['GET', 'HEAD', 'OPTIONS'].includes(request.method)) return
  if (originRules(configOf(env).allowedOrigins).isForeign(origin, header('host')))
    throw originProblem(shownOrigin(origin))
}

/**
 * The Worker's own answers to load balancers. Without `API_KEY` there is no farm at the root.
 * @returns undefined for any other path
 */
function ownProbe(path: string, env: EdgeEnv): Answer | undefined {
  if (isInstanceReady(path, env)) return resultAnswer({ ready: true })
  if (env.API_KEY || path !== '/health') return undefined
  const noFarm = { isWithoutFarm: true, isFrozen: false, tickCount: 0, pendingActions: 0 } as const
  const health = healthRecord({ ...noFarm, gameAvailable: isConfigured(env) }, 'ok', new Date().toISOString())
  const answer = resultAnswer(health)
  return { ...answer, headers: { ...answer.headers, 'Access-Control-Allow-Origin': '*' } }
}

/** @throws {Problem} rate_limited */
async function countAddress(env: EdgeEnv, address: string): Promise<void> {
  const { success } = await env.ADDRESS_LIMIT.limit({ key: address })
  if (!success)
    throw new Problem('rate_limited', 'Too many requests; try again in a minute', { retryAfter: 60 })
}

const wantsFrontPage = ({ method, headers }: Request) => wantsPage(method, headers.get('accept'))

const isConfigured = (env: EdgeEnv) => Boolean(env.API_KEY || env.FLEET_KEY)

/** A path without its last slash, because one slash at the end of a path is accepted too. */
const bare = (path: string) => path.replace(/\/$/, '')

let basePath: string | undefined
let documents: Documents | undefined
let readDiscord: ReturnType<typeof edgeDiscord> | undefined
/** Paths whose body is forwarded; on all others a body is ignored. */
const pathsWithBody: ReadonlySet<string> = new Set([
  interactionsPath,
  ...edgeEndpoints.flatMap(({ body, upload, path }) => (body || upload ? [path] : [])),
])
/** Calls that may take longer than usual. */
const longCalls: ReadonlySet<string> = new Set(
  edgeEndpoints.flatMap(({ method, path, budget }) => (budget === undefined ? [] : [`${method} ${path}`])),
)

function farmAnswer(
  request: Request,
  env: EdgeEnv,
  address: string,
  farm: string,
  path: string,
): Response | Promise<Response> {
  const url = new URL(request.url)
  const { method } = request
  // Only the prefixes are removed from the URL: paths are exact, and `URL` would normalise them.
  const forwarded = `${url.origin}${path}${request.url.includes('?') ? request.url.slice(request.url.indexOf('?')) : ''}`
  const headers = new Headers(request.headers)
  for (const name of [...headers.keys()]) if (name.startsWith(internalHeaders)) headers.delete(name)
  headers.set(addressHeader, address)
  if (env.NAMES_KEY_OWNERS) headers.set(keyOfHeader, '?')
  const whole = pathOf(request.url)
  if (whole.endsWith(path)) headers.set(prefixHeader, whole.slice(0, -path.length))
  if (bare(path) === '/metrics' && hasFleetKey(request, env)) headers.set(fleetKeyHeader, 'read')
  const body = pathsWithBody.has(bare(path)) ? request.body : null
  // A redirect is for the browser.
  const own = new Request(forwarded, { method, headers, body, redirect: 'manual' })
  documents ??= documentsOf(env)
  // Without its last slash, `//` would be the front page.
  const isDocument =
    path === '/' ? wantsFrontPage(request) : path !== '//' && documents.has(requestPath('')(own))
  if (isDocument) return documents.app.fetch(own)
  const object = env.FARM.getByName(farm)
  const log = edgeLog(env.LOG_LEVEL, farmNameOf(farm))
  if (env.LINK_CHECK === undefined) return askFarm(object, own, log)
  const isLong = longCalls.has(`${method === 'HEAD' ? 'GET' : method} ${bare(path)}`)
  return askFarm(watchedFarm(object, isLong), own, log)
}

function responseOf(answer: Answer, requestId: string): Response {
  const headers = { ...securityHeaders, 'Cache-Control': 'no-store', 'X-Request-Id': requestId }
  return new Response(answer.body, {
    status: answer.status,
    headers: { ...headers, ...answer.headers, ...(answer.body !== null && { 'Content-Type': answer.type }) },
  })
}
