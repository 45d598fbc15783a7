/** The routes of the control API, one for each method of each path: endpoints, pages, and what else it serves. */
import type { Context } from 'hono'
import { endpoints } from '../handlers/endpoints/all-endpoints.ts'
import { Problem } from '../handlers/problem.ts'
import { answerInteractions, type InteractionsParts } from './discord/interactions.ts'
import { interactionsPath } from './discord/signed-commands.ts'
import type { Dispatch } from './dispatch/dispatch.ts'
import { endpointRoute, type Route } from './dispatch/endpoint-route.ts'
import { allowanceOf } from './http/allowance.ts'
import type { Answer } from './http/answer.ts'
import type { Caller } from './http/caller.ts'
import type { Gate } from './http/gate.ts'
import type { Metrics } from './http/metrics.ts'
import { withoutSlash, withSlash } from './http/page-redirect.ts'
import { publicRoot } from './http/public-root.ts'
import { hasTrailingSlash } from './http/target.ts'

/**
 * A page or document that is the same for every client: the dashboard, the page at `/docs`, their files, OpenAPI, AsyncAPI.
 * @param file the last part of the path where the path of the page ends with `/:file`
 * @param root the absolute URL of the API as the client reached it, without a slash at its end
 */
export type Page = (file: string, root: string) => Answer | Promise<Answer>

export interface RoutesOptions<Env extends object> extends InteractionsParts {
  readonly dispatch: Dispatch
  readonly gate: Gate
  readonly metrics: Metrics
  readonly pages: ReadonlyMap<string, Page>
  /** Prefix that a proxy may leave on the path; empty for none. */
  readonly basePath: string
  /** Accepts a `GET /ws` whose origin is allowed. */
  upgrade(c: Context<{ Bindings: Env }>, caller: Caller): Response | Promise<Response>
}

/** The routes of one path, by method. */
export type Methods<Env extends object> = ReadonlyMap<string, Route<Env>>

/** @returns the routes of each path, as Hono writes paths */
export function routesOf<Env extends object>(options: RoutesOptions<Env>): ReadonlyMap<string, Methods<Env>> {
  const { gate, metrics } = options
  const routes = new Map<string, Map<string, Route<Env>>>()
  const add = (method: string, path: string, route: Omit<Route<Env>, 'metrics' | 'allowance'>) => {
    const methods = routes.get(path) ?? new Map<string, Route<Env>>()
    const made = { ...route, allowance: allowanceOf(method, path), metrics: metrics.route(method, path) }
    routes.set(path, methods.set(method, made))
  }
  for (const endpoint of endpoints)
    add(endpoint.method, endpoint.path, endpointRoute(endpoint, options.dispatch, options.now))
  const { '/': front, ...pages } = Object.fromEntries(options.pages)
  for (const [path, page] of Object.entries(pages)) {
    const pageAtSlash = pages[`${path}/`]
    if (path.endsWith('/')) continue
    add('GET', path, {
      access: 'public',
      answer: ({ c, caller }) => {
        const file = c.req.param('file') ?? ''
        const { url } = c.req.raw
        const root = publicRoot(url, caller, options.basePath)
        if (!hasTrailingSlash(url)) return page(file, root)
        return pageAtSlash?.(file, root) ?? withoutSlash(c.req.path)
      },
    })
  }
  if (front !== undefined)
    add('GET', '/', {
      access: 'public',
      answer: ({ c }) =>
        hasTrailingSlash(c.req.raw.url) ? front('', '') : withSlash(options.basePath.replace(/^.*\//, '')),
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
  const answerInteraction = answerInteractions(options)
  add('POST', interactionsPath, {
    access: 'public',
    answer: ({ c, caller, requestId }) => answerInteraction({ request: c.req.raw, caller, requestId }),
  })
  return routes
}
