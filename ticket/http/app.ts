import { type Context, Hono } from 'hono'
import type { Log } from '../../lib/log.ts'
import { maxUrlBytes } from '../../lib/request-size.ts'
import { addressOf, callerFrom, matches } from './access.ts'
import { readBody } from './body.ts'
import type { Connection } from './connection.ts'
import type { Gate } from './gate.ts'
import type { HttpMetrics } from './http-metrics.ts'
import { segments } from './path.ts'
import { responseOf } from './response.ts'
import { routes } from './routes/all-routes.ts'
import { HttpProblem, problem, problemOf } from './routes/problems.ts'
import type { Route, Services, TicketAnswer } from './routes/route.ts'

export interface Connected {
  Bindings: Connection
}

export interface AppOptions {
  readonly services: Services
  readonly meter: HttpMetrics
  readonly key: string | undefined
  readonly log: Log
  readonly gate: Gate
}

/** @returns the HTTP application: it finds the route, checks the caller, calls the handler and writes the answer. */
export function ticketApp({ services, meter, key, log, gate }: AppOptions): Hono<Connected> {
  // The key may be the first segment of any path: an unmodified game server can set only the address.
  const app = new Hono<Connected>({ getPath: (request) => withoutKey(segments(pathnameOf(request)), key) })

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
  // Hono's own handler writes the stack to standard error.
  app.onError((error) => {
    log.error({ error: String(error) }, 'A request failed')
    return responseOf(problemOf(error, services))
  })
  return app

  function respond(context: Context<Connected>, route: Route, path: string): Promise<Response> {
    const handle = async (allowed: boolean) => {
      const account = route.anyAccount ? 0 : accountOf(context.req.query('account'))
      if (account !== 0) throw new HttpProblem(unknownAccount())
      const hasBody = route.method === 'POST' && !route.isBodyless
      const body = hasBody ? await readBody(context.req.raw, context.env.over) : undefined
      const { req, env } = context
      const caller = callerFrom(env.address, pathnameOf(req.raw), (name) => req.header(name))
      const address = addressOf(caller, key, req.header('x-farmgate-caller'))
      const query = (name: string) => req.query(name)
      const header = (name: string) => req.header(name)
      return route.handle({ account, allowed, address, body, query, header }, services)
    }
    return guarded(context, path, handle, route)
  }

  async function guarded(
    context: Context<Connected>,
    path: string,
    handle: (allowed: boolean) => TicketAnswer | Promise<TicketAnswer>,
    { open, onProblem = (answer) => answer }: Pick<Route, 'open' | 'onProblem'> = {},
  ): Promise<Response> {
    const { req, env } = context
    if (targetBytes(req.raw.url) > maxUrlBytes)
      return finish(context, 'other', gate.malformed(env.address, tooLong))
    const caller = callerFrom(env.address, pathnameOf(req.raw), (name) => req.header(name))
    const judged = gate.judge(caller, open)
    if ('refusal' in judged) {
      const { refusal } = judged
      const isLast = refusal.status === 429 && env.cut?.() === true
      return finish(context, path, isLast ? lastAnswer(refusal) : refusal)
    }
    if (judged.isServed && key !== undefined) env.hasKey?.()
    try {
      return finish(context, path, await handle(judged.isServed))
    } catch (error) {
      const answer = problemOf(error, services)
      if (answer.status === 500) {
        log.error({ path, error: String(error) }, 'A request failed')
      }
      return finish(context, path, onProblem(answer))
    }
  }

  function finish(context: Context<Connected>, path: string, answer: TicketAnswer): Response {
    meter.answered(path, answer.status)
    return responseOf(answer, context.req.header('x-request-id'))
  }
}

const tooLong = problem(414, 'uri_too_long', `The URL is longer than ${maxUrlBytes} bytes`)

/** Of the path and the query. */
const targetBytes = (url: string): number => url.length - new URL(url).origin.length

const lastAnswer = (answer: TicketAnswer): TicketAnswer => ({
  ...answer,
  headers: { ...answer.headers, connection: 'close' },
})

function unknownAccount(): TicketAnswer {
  return problem(404, 'unknown_account', 'That account is not configured; there is only account 0')
}

const pathnameOf = (request: Request): string => new URL(request.url).pathname

function withoutKey(parts: readonly string[], key: string | undefined): string {
  const [first = '', ...rest] = parts
  const path = key !== undefined && matches(first, key) ? rest.join('/') : parts.join('/')
  return `/${path.replace(/^\/+/, '')}`
}

/** Reads `?account=` as the existing sidecar does: an absent or non-numeric value is account 0. */
function accountOf(text: string | undefined): number {
  return text !== undefined && /^-?[0-9]{1,9}$/.test(text) ? Number(text) : 0
}
