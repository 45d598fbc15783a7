/** The route of an endpoint: what one path and method answers, and what the router has to know of it. */
import type { Context } from 'hono'
import type { Endpoint } from '../../handlers/endpoint.ts'
import { stringifyRecord } from '../../handlers/json.ts'
import type { KeyHolder, Scope } from '../../handlers/key-holder.ts'
import { readQuery } from '../../handlers/parameter.ts'
import { type Answer, resultAnswer, type StreamAnswer } from '../http/answer.ts'
import { readBody, requireJson } from '../http/body.ts'
import type { Caller } from '../http/caller.ts'
import type { RouteMetrics } from '../http/metrics.ts'
import type { AnonymousAllowance } from '../http/rate-limit.ts'
import { searchOf } from '../http/target.ts'
import type { AuditedWrite } from './audit.ts'
import { type RequestSurroundings, RequestToEndpoint } from './endpoint-request.ts'
import { sentParameters } from './sent-parameters.ts'

/** What one path answers, by method. */
export interface Route<Env extends object> {
  readonly access: 'public' | 'key'
  /** What a key has to allow. */
  readonly scope?: Scope | undefined
  /** The name of its writes in the audit, and the parameters in a URL. */
  readonly audited?: { readonly action: string; parameters(url: string): Readonly<Record<string, unknown>> }
  readonly anyOrigin?: boolean
  /** What requests without a key count against. */
  readonly allowance: AnonymousAllowance
  /** A `Response` answers an upgrade to a WebSocket; only the request id is added to it. */
  readonly answer: (
    visit: Visit<Env>,
  ) => Answer | StreamAnswer | Response | Promise<Answer | StreamAnswer | Response>
  readonly metrics: RouteMetrics
}

export interface Visit<Env extends object> {
  readonly c: Context<{ Bindings: Env }>
  readonly caller: Caller
  /** Who may do what needs a key, as the gate found it. */
  holder: KeyHolder | undefined
  readonly requestId: string
  /** Set for a write of a holder. */
  write?: AuditedWrite
}

export function endpointRoute<Env extends object>(
  endpoint: Endpoint,
  around: RequestSurroundings,
): Omit<Route<Env>, 'metrics' | 'allowance'> {
  const { access, scope, anyOrigin, parameters, body } = endpoint
  return {
    access,
    scope,
    audited: {
      action: endpoint.operationId,
      parameters: (url) => sentParameters(endpoint, searchOf(url), ''),
    },
    ...(anyOrigin && { anyOrigin }),
    async answer({ c, caller, holder, write }) {
      const search = searchOf(c.req.raw.url)
      const query = readQuery(parameters, search)
      if (body?.type !== undefined) requireJson(caller.header('content-type'))
      const text = body === undefined ? '' : await readBody(c.req.raw, body.maxBytes, caller.over)
      write?.began(sentParameters(endpoint, search, text))
      const request = new RequestToEndpoint(query, text, holder, scope, caller, around)
      const result = resultAnswer(
        await endpoint.handle(request, around.game, around.records, around.backups),
        stringifyRecord,
      )
      const answer = endpoint.status === undefined ? result : { ...result, status: endpoint.status }
      if (request.changedAt === undefined) return answer
      const ago = String(Math.max(0, around.now() - request.changedAt))
      return { ...answer, headers: { ...answer.headers, 'X-Predicate-Changed-At-Ms-Ago': ago } }
    },
  }
}
