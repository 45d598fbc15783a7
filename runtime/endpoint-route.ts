/** The route of an endpoint: the answers of one path and method over HTTP. */
import type { Context } from 'hono'
import * as v from 'valibot'
import type { BodyLimits, Upload } from '../handlers/endpoint.ts'
import type { EdgeEndpoint } from '../handlers/forwarded-endpoint.ts'
import type { KeyHolder } from '../handlers/key-holder.ts'
import { Problem, problemFrom } from '../handlers/problem.ts'
import type { ProblemCode } from '../handlers/problem-table.ts'
import { cookieSeparator, redirect } from '../handlers/redirect.ts'
import { Stream } from '../handlers/stream.ts'
import type { Clock } from '../lib/clock.ts'
import { stringifyRecord } from '../lib/json.ts'
import { sessionPrefix } from '../lib/keys.ts'
import type { Call } from './dispatch/call.ts'
import type { Dispatch } from './dispatch/dispatch.ts'
import {
  type Answer,
  emptyAnswer,
  problemAnswer,
  resultAnswer,
  type StreamAnswer,
  textAnswer,
} from './http/answer.ts'
import { readBody, requireType, uploadPieces } from './http/body.ts'
import { type Caller, isCommand } from './http/caller.ts'
import type { RouteMetrics } from './http/metrics.ts'
import type { AnonymousAllowance } from './http/rate-limit.ts'
import { cookiesOf, type Page, setCookie } from './http/session-cookies.ts'
import { searchOf } from './http/target.ts'

/** What answers one method of one path. */
export interface Route<Env extends object> {
  readonly access: 'public' | 'key'
  readonly anyOrigin?: boolean
  /** See `Endpoint`; with the codes that are refusals. */
  readonly refusals?: { readonly codes: ReadonlySet<ProblemCode>; readonly members: object }
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
  /** The holder of the key, as the gate found it. */
  holder: KeyHolder | undefined
  readonly requestId: string
}

interface RouteParts extends Pick<Clock, 'now'> {
  readonly dispatch: Dispatch
  readonly page: Page
  /** Undefined where Discord is not set up. */
  readonly discord?: object | undefined
}

export function endpointRoute<Env extends object>(
  endpoint: EdgeEndpoint,
  { dispatch, page, discord, now }: RouteParts,
): Omit<Route<Env>, 'metrics' | 'allowance'> {
  const { access } = endpoint
  return {
    access,
    ...('anyOrigin' in endpoint && { anyOrigin: true }),
    ...('refusals' in endpoint && {
      refusals: {
        codes: new Set([...endpoint.problems, 'invalid_parameter'] as const),
        members: endpoint.refusals,
      },
    }),
    async answer({ c, caller, holder, requestId }) {
      const request = c.req.raw
      const isOfHolder = (value: string) => value.startsWith(`${sessionPrefix}${holder?.id}_`)
      const withoutSession = () => setCookie('session', '', caller, page, isOfHolder)
      const sent = { request, caller, requestId, page }
      const dispatched = dispatch(endpoint, new HttpCall(endpoint, sent, holder, discord !== undefined))
      if (endpoint.endsSession && holder?.account !== undefined) {
        const lost = await dispatched.then(() => undefined, signedOutHere)
        if (lost !== undefined) return { ...problemAnswer(lost), headers: withoutSession() }
      }
      const { result, status, changedAt } = await dispatched
      if (result instanceof Stream) return streamAnswer(result)
      if (endpoint.redirect) {
        const { location, cookie } = v.parse(redirect, result)
        // Another session of this browser stays: any page can begin a sign-in, and would end it otherwise.
        const set = cookie === undefined ? {} : setCookie(cookie.of, cookie.value, caller, page)
        return emptyAnswer(303, { Location: location, ...set })
      }
      const record = resultAnswer(result, stringifyRecord)
      // Most answers: no copy of it is made.
      if (status === record.status && !endpoint.endsSession && changedAt === undefined) return record
      const answer = {
        ...record,
        status,
        ...(endpoint.endsSession && { headers: withoutSession() }),
      }
      if (changedAt === undefined) return answer
      const ago = String(Math.max(0, now() - changedAt))
      return { ...answer, headers: { ...answer.headers, 'X-Predicate-Changed-At-Ms-Ago': ago } }
    },
  }
}

interface Sent extends Pick<RouteParts, 'page'> {
  readonly request: Request
  readonly caller: Caller
  readonly requestId: string
}

/** A call over HTTP. A class with getters, so that what few calls need is not made for every call. */
class HttpCall implements Call {
  readonly #endpoint: Pick<EdgeEndpoint, 'redirect' | 'stream'>
  readonly #sent: Sent
  readonly holder: KeyHolder | undefined
  readonly takesDiscord: boolean

  constructor(
    endpoint: Pick<EdgeEndpoint, 'redirect' | 'stream'>,
    sent: Sent,
    holder: KeyHolder | undefined,
    takesDiscord: boolean,
  ) {
    this.#endpoint = endpoint
    this.#sent = sent
    this.holder = holder
    this.takesDiscord = takesDiscord
  }

  get search(): string {
    return searchOf(this.#sent.request.url)
  }

  /** @throws {Problem} unsupported_media_type, payload_too_large, malformed_request */
  async body({ type, isOptional, maxBytes }: BodyLimits): Promise<string> {
    const { request, caller } = this.#sent
    const checkType = () => type !== undefined && requireType(type, caller.header('content-type'))
    if (isOptional !== true) checkType()
    const text = await readBody(request, maxBytes, caller.over)
    if (isOptional === true && text !== '') checkType()
    return text
  }

  upload(described: Pick<Upload, 'type' | 'maxBytes'>): AsyncIterable<Uint8Array> {
    const { request, caller } = this.#sent
    caller.uploads?.()
    return uploadPieces(described, request.body, {
      type: caller.header('content-type'),
      length: caller.header('content-length'),
      over: caller.over,
    })
  }

  get from(): Call['from'] {
    const { requestId, caller } = this.#sent
    return { requestId, address: caller.address, ...(isCommand(caller) && { isCommand: true as const }) }
  }

  get attempt(): string | undefined {
    const { caller, page } = this.#sent
    if (this.#endpoint.redirect === undefined) return undefined
    return cookiesOf('attempt', caller, page).flat().join(cookieSeparator).slice(0, 256) || undefined
  }

  get range(): Call['range'] {
    const { request, caller } = this.#sent
    if (this.#endpoint.stream === undefined || request.method === 'HEAD') return undefined
    return { range: caller.header('range'), ifRange: caller.header('if-range') }
  }

  get over(): AbortSignal | undefined {
    return this.#sent.caller.over
  }
}

/**
 * A farm that does not answer cannot end a session, but its cookie is removed. @returns undefined for any other error
 */
function signedOutHere(error: unknown): Problem | undefined {
  const { code, message } = problemFrom(error)
  if (code !== 'game_unavailable' && code !== 'game_timeout') return undefined
  const rest =
    'This browser is signed out. The session may be open still: an admin can end it later (DELETE /keys)'
  return new Problem(code, `${message}. ${rest}`, { isRepeatUnsafe: true })
}

const streamAnswer = ({ body, type, status, headers, bytes }: Stream): Answer | StreamAnswer =>
  typeof body === 'string'
    ? textAnswer(body, type, headers)
    : { status, type, headers, body, ...(bytes !== undefined && { bytes }) }
