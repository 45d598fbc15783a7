import { type Context, Hono } from 'hono'
import type { Log } from '../log.ts'
import { accessProblem, type Caller, matches } from './access.ts'
import { readBody } from './body.ts'
import type { HttpMetrics } from './http-metrics.ts'
import { responseOf } from './response.ts'
import { routes } from './routes/all-routes.ts'
import { HttpProblem, problem, problemOf } from './routes/problems.ts'
import type { Route, Services, TicketAnswer } from './routes/route.ts'
import { strangerLimits } from './stranger-limits.ts'

/** What the app is told of the connection of a request. */
export interface Connection {
  /** Remote address of the socket; undefined when the socket is closed already. */
  readonly address: string | undefined
  /** Aborted when no more of the request comes; missing in tests without a socket. */
  readonly over?: AbortSignal
  /** Called when a request has the key: the connection is then never closed to make room for others. */
  hasKey?(): void
}

export interface Connected {
  Bindings: Connection
}

export interface AppOptions {
  readonly services: Services
  readonly meter: HttpMetrics
  readonly key: string | undefined
  readonly log: Log
  /** Milliseconds that only ever grow. */
  readonly monotonic: () => number
}

/** @returns the HTTP application: it finds the route, checks the caller, calls the handler and writes the answer. */
export function ticketApp({ services, meter, key, log, monotonic }: AppOptions): Hono<Connected> {
  const strangers = strangerLimits(key, log, monotonic)
  // The key may be the first segment of any path: an unmodified game server can set only the address.
  const app = new Hono<Connected>({ getPath: (request) => withoutKey(segments(request), key) })

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

  function respond(context: Context<Connected>, route: Route, path: string): Promise<Response> {
    const handle = async (allowed: boolean) => {
      const account = route.anyAccount ? 0 : accountOf(context.req.query('account'))
      if (account !== 0) throw new HttpProblem(unknownAccount())
      const body = route.method === 'POST' ? await readBody(context.req.raw, context.env.over) : undefined
      return route.handle({ account, allowed, body }, services)
    }
    return guarded(context, path, handle, route)
  }

  async function guarded(
    context: Context<Connected>,
    path: string,
    handle: (allowed: boolean) => TicketAnswer | Promise<TicketAnswer>,
    { open = false, onProblem = (answer) => answer }: Pick<Route, 'open' | 'onProblem'> = {},
  ): Promise<Response> {
    const caller = callerOf(context)
    const denied = accessProblem(caller, key)
    if (denied) {
      const refused = strangers.count(caller, open) ?? (open ? undefined : denied)
      if (refused) return finish(context, path, refused)
    } else if (key !== undefined) context.env.hasKey?.()
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

  function finish(context: Context<Connected>, path: string, answer: TicketAnswer): Response {
    meter.answered(path, answer.status)
    return responseOf(answer, context.req.header('x-request-id'))
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

function callerOf(context: Context<Connected>): Caller {
  return {
    address: context.env.address,
    authorization: context.req.header('authorization'),
    firstSegment: segments(context.req.raw)[0] ?? '',
    origin: context.req.header('origin'),
    host: context.req.header('host'),
  }
}

/** Reads `?account=` as the existing sidecar does: an absent or non-numeric value is account 0. */
function accountOf(text: string | undefined): number {
  return text !== undefined && /^-?[0-9]{1,9}$/.test(text) ? Number(text) : 0
}
