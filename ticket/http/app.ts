import { randomUUID } from 'node:crypto'
import { type Context, Hono } from 'hono'
import type { Log } from '../log.ts'
import { accessProblem, type Caller, matches } from './access.ts'
import { readBody } from './body.ts'
import type { HttpMetrics } from './http-metrics.ts'
import { routes } from './routes/all-routes.ts'
import { HttpProblem, problem, problemOf } from './routes/problems.ts'
import type { Route, Services, TicketAnswer } from './routes/route.ts'

/** What `@hono/node-server` adds to a request; absent in tests that call the app without a socket. */
export interface Socketed {
  Bindings: { incoming?: { socket: { remoteAddress?: string | undefined } } }
}

export interface AppOptions {
  readonly services: Services
  readonly meter: HttpMetrics
  readonly key: string | undefined
  readonly log: Log
}

/** @returns the HTTP application: it finds the route, checks the caller, calls the handler and writes the answer. */
export function ticketApp({ services, meter, key, log }: AppOptions): Hono<Socketed> {
  // The key may be the first segment of any path: an unmodified game server can set only the address.
  const app = new Hono<Socketed>({ getPath: (request) => withoutKey(segments(request), key) })

  for (const route of routes) {
    for (const path of route.paths) {
      app.on(route.method, [path, `${path}/`], (context) => respond(context, route, path))
    }
  }
  for (const path of new Set(routes.flatMap((route) => route.paths))) {
    const allowed = routes.filter((route) => route.paths.includes(path)).map((route) => route.method)
    const answer = problem(
      405,
      'method_not_allowed',
      'This path takes another method',
      {},
      { Allow: allowed.join(', ') },
    )
    app.all(path, (context) => guarded(context, path, () => answer))
  }
  app.notFound((context) =>
    guarded(context, 'other', () => problem(404, 'not_found', 'There is nothing at this path')),
  )
  return app

  function respond(context: Context<Socketed>, route: Route, path: string): Promise<Response> {
    const handle = async (allowed: boolean) => {
      const account = route.anyAccount ? 0 : accountOf(context.req.query('account'))
      if (account !== 0) throw new HttpProblem(unknownAccount())
      const body = route.method === 'POST' ? await readBody(context.req.raw) : undefined
      return route.handle({ account, allowed, body }, services)
    }
    return guarded(context, path, handle, route)
  }

  async function guarded(
    context: Context<Socketed>,
    path: string,
    handle: (allowed: boolean) => TicketAnswer | Promise<TicketAnswer>,
    { open = false, onProblem = (answer) => answer }: Pick<Route, 'open' | 'onProblem'> = {},
  ): Promise<Response> {
    const denied = accessProblem(callerOf(context), key)
    if (denied && !open) return finish(context, path, denied)
    try {
      return finish(context, path, await handle(denied === undefined))
    } catch (error) {
      const answer = problemOf(error, services)
      if (answer.status === 500) {
        log.error('A request failed', { path, error: String(error) })
      }
      return finish(context, path, onProblem(answer))
    }
  }

  function finish(context: Context<Socketed>, path: string, answer: TicketAnswer): Response {
    meter.answered(path, answer.status)
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)
    return new Response(text, {
      status: answer.status,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-request-id': requestId(context.req.header('x-request-id')),
        ...answer.headers,
      },
    })
  }
}

function unknownAccount(): TicketAnswer {
  return problem(404, 'unknown_account', 'That account is not configured; there is only account 0')
}

/** The segments of the path. Leading slashes are dropped: a configured address that ends with `/` leads to `//`. */
function segments(request: Request): readonly string[] {
  return new URL(request.url).pathname.replace(/^\/+/, '').split('/')
}

function withoutKey(parts: readonly string[], key: string | undefined): string {
  const [first = '', ...rest] = parts
  const path = key !== undefined && matches(first, key) ? rest.join('/') : parts.join('/')
  return `/${path.replace(/^\/+/, '')}`
}

function callerOf(context: Context<Socketed>): Caller {
  return {
    address: context.env?.incoming?.socket.remoteAddress,
    authorization: context.req.header('authorization'),
    firstSegment: segments(context.req.raw)[0] ?? '',
    origin: context.req.header('origin'),
  }
}

/** Reads `?account=` as the existing sidecar does: an absent or non-numeric value is account 0. */
function accountOf(text: string | undefined): number {
  return text !== undefined && /^-?[0-9]{1,9}$/.test(text) ? Number(text) : 0
}

function requestId(given: string | undefined): string {
  return given !== undefined && /^[\x21-\x7e]{1,128}$/.test(given) ? given : randomUUID()
}
