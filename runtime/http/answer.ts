/** An answer before it becomes a `Response`: what routes return and the router dresses. */

import { stringifyJson } from '../../handlers/json.ts'
import { type Problem, problemBody } from '../../handlers/problem.ts'

export interface Answer {
  readonly status: number
  /** Null: no body. */
  readonly body: Uint8Array<ArrayBuffer> | null
  /** `Content-Type`; ignored without a body. */
  readonly type: string
  readonly headers?: Readonly<Record<string, string>>
}

const utf8 = new TextEncoder()
export const json = 'application/json'

const encodings = new WeakMap<object, Uint8Array<ArrayBuffer>>()

/** A result's bytes, encoded once per object: bridges answer with the same object until the game changes. */
function encoded(result: object): Uint8Array<ArrayBuffer> {
  let bytes = encodings.get(result)
  if (bytes === undefined) {
    bytes = utf8.encode(stringifyJson(result))
    encodings.set(result, bytes)
  }
  return bytes
}

export const resultAnswer = (result: unknown): Answer => ({
  status: 200,
  body: typeof result === 'object' && result !== null ? encoded(result) : utf8.encode(stringifyJson(result)),
  type: json,
})

export const textAnswer = (body: string, type: string, headers: Answer['headers'] = {}): Answer => ({
  status: 200,
  body: utf8.encode(body),
  type,
  headers,
})

export function problemAnswer(problem: Problem): Answer {
  const { status, code, details } = problem
  return {
    status,
    body: code === 'wait_timeout' ? null : utf8.encode(stringifyJson(problemBody(problem))),
    type: json,
    headers: {
      ...(code === 'unauthorized' && { 'WWW-Authenticate': 'Bearer' }),
      ...(code === 'upgrade_required' && { Upgrade: 'websocket', Connection: 'Upgrade' }),
      ...(details.allow !== undefined && { Allow: details.allow }),
      ...(details.retryAfter !== undefined && { 'Retry-After': String(details.retryAfter) }),
    },
  }
}

/** Headers of every answer: nothing is sniffed, nobody is told where a reader came from, nobody frames it. */
export const securityHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
} as const

/** A problem told outside the router: by what stands between a socket and it. */
export function problemResponse(problem: Problem, requestId: string): Response {
  const { status, body, headers, type } = problemAnswer(problem)
  const dress = { ...securityHeaders, 'Cache-Control': 'no-store', 'X-Request-Id': requestId, ...headers }
  return new Response(body, { status, headers: body === null ? dress : { ...dress, 'Content-Type': type } })
}
