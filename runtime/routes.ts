/** The routes of the control API, one for each method of each path: endpoints, pages, and all else that it serves. */
import type { Context } from 'hono'
import type { KeyHolder } from '../handlers/key-holder.ts'
import { Problem } from '../handlers/problem.ts'
import { answerInteractions } from '../services/discord/interactions.ts'
import { interactionsPath } from '../services/discord/signed-commands.ts'
import type { Api } from './api.ts'
import { endpointRoute, type Route } from './endpoint-route.ts'
import { jsonAnswer } from './http/answer.ts'
import { readBytes } from './http/body.ts'
import type { Caller } from './http/caller.ts'
import { withoutSlash, withSlash } from './http/page-redirect.ts'
import { setupRoutes } from './http/setup-routes.ts'
import { hasTrailingSlash } from './http/target.ts'

/** How a runtime accepts requests. */
export interface Transport<Env extends object> {
  caller(request: Request, env: Env): Caller
  /** Accepts a `GET /ws` whose origin is allowed. @param session that was proved: it needs no `auth` */
  upgrade(
    c: Context<{ Bindings: Env }>,
    caller: Caller,
    session: KeyHolder | undefined,
  ): Response | Promise<Response>
}

/** The routes of one path, by method. */
export type Methods<Env extends object> = ReadonlyMap<string, Route<Env>>

/** @returns the routes of each path, as Hono writes paths */
export function routesOf<Env extends object>(
  api: Api,
  upgrade: Transport<Env>['upgrade'],
): ReadonlyMap<string, Methods<Env>> {
  const { endpoints, gate, metrics, basePath, allowanceOf } = api
  const routes = new Map<string, Map<string, Route<Env>>>()
  const add = (method: string, path: string, route: Omit<Route<Env>, 'metrics' | 'allowance'>) => {
    const methods = routes.get(path) ?? new Map<string, Route<Env>>()
    const made = { ...route, allowance: allowanceOf(method, path), metrics: metrics.route(method, path) }
    routes.set(path, methods.set(method, made))
  }
  for (const endpoint of endpoints) add(endpoint.method, endpoint.path, endpointRoute(endpoint, api))
  for (const { method, path, answer } of setupRoutes(api)) add(method, path, { access: 'public', answer })
  const { '/': front, ...pages } = Object.fromEntries(api.pages)
  for (const [path, page] of Object.entries(pages)) {
    const pageAtSlash = pages[`${path}/`]
    if (path.endsWith('/')) continue
    add('GET', path, {
      access: 'public',
      answer: ({ c, caller }) => {
        const file = c.req.param('file') ?? ''
        const { raw } = c.req
        const root = publicRoot(raw.url, caller, basePath)
        if (!hasTrailingSlash(raw.url)) return page(file, root, raw)
        return pageAtSlash?.(file, root, raw) ?? withoutSlash(c.req.path)
      },
    })
  }
  if (front !== undefined)
    add('GET', '/', {
      access: 'public',
      answer: ({ c }) =>
        hasTrailingSlash(c.req.raw.url) ? front('', '', c.req.raw) : withSlash(basePath.replace(/^.*\//, '')),
    })
  add('GET', '/ws', {
    access: 'public',
    answer: ({ c, caller, holder }) => {
      if (caller.header('upgrade')?.toLowerCase() !== 'websocket')
        throw new Problem('upgrade_required', 'Open this path as a WebSocket')
      gate.checkOrigin(caller)
      gate.checkPage(caller)
      return upgrade(c, caller, holder?.account === undefined ? undefined : holder)
    },
  })
  const answerInteraction = answerInteractions({ ...api, readBytes })
  add('POST', interactionsPath, {
    access: 'public',
    answer: async ({ c, caller, requestId }) =>
      jsonAnswer(await answerInteraction({ request: c.req.raw, caller, requestId })),
  })
  return routes
}

/**
 * The absolute URL of the API as a client reached it, without a slash at its end. Only that client sees it.
 * @param url of the request
 * @param basePath prefix of the API behind a proxy, which may have removed it from the URL
 */
function publicRoot(url: string, caller: Pick<Caller, 'header' | 'prefix'>, basePath: string): string {
  const { protocol, host } = new URL(url)
  const isSecure = protocol === 'https:' || caller.header('x-forwarded-proto') === 'https'
  return `${isSecure ? 'https' : 'http'}://${host}${caller.prefix ?? basePath}`
}
