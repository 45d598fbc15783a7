/** The result of a route, before the router makes a `Response` of it. */
import { type Problem, problemBody } from '../../handlers/problem.ts'
import { stringifyJson, stringifyRecord } from '../../lib/json.ts'

export interface Answer {
  readonly status: number
  /** Null: no body. Text is sent as UTF-8. */
  readonly body: string | Uint8Array<ArrayBuffer> | null
  /** Bytes of the body. */
  readonly length: number
  /** `Content-Type`; ignored without a body. */
  readonly type: string
  readonly headers?: Readonly<Record<string, string>>
}

/** An answer whose body is made while it is sent. */
export interface StreamAnswer extends Pick<Answer, 'status' | 'type' | 'headers'> {
  readonly body: ReadableStream<Uint8Array>
  /** Bytes of the body, where they are known when it begins. */
  readonly bytes?: number
}

export const json = 'application/json'

const utf8 = new TextEncoder()

export const textAnswer = (body: string, type: string, headers: Answer['headers'] = {}): Answer => ({
  status: 200,
  body,
  length: utf8.encode(body).byteLength,
  type,
  headers,
})

export const jsonAnswer = (body: string): Answer => textAnswer(body, json)

export const bytesAnswer = (
  body: Uint8Array<ArrayBuffer>,
  type: string,
  headers: Answer['headers'] = {},
): Answer => ({
  status: 200,
  body,
  length: body.byteLength,
  type,
  headers,
})

export const emptyAnswer = (status: number, headers: Answer['headers'] = {}): Answer => ({
  status,
  body: null,
  length: 0,
  type: '',
  headers,
})

const answers = new WeakMap<object, Answer>()
/** Characters. */
const largeText = 64 * 1024

/**
 * The answer for a result. Its JSON is cached for each result object, because a bridge returns the same object until
 * the game changes. A small body stays a text, because Node sends head and text in one write, but head and bytes in
 * two. A large one, such as a screenshot, becomes bytes: each response would have a copy of a text as long as its
 * client reads.
 * @param encoded makes the JSON of the result
 */
export function resultAnswer(result: unknown, encoded = stringifyJson): Answer {
  if (typeof result !== 'object' || result === null) return textAnswer(encoded(result), json)
  let answer = answers.get(result)
  if (answer === undefined) {
    const text = encoded(result)
    answer =
      text.length > largeText ? bytesAnswer(new Uint8Array(utf8.encode(text)), json) : textAnswer(text, json)
    answers.set(result, answer)
  }
  return answer
}

export function problemAnswer(problem: Problem): Answer {
  const { status, code, details } = problem
  const headers = {
    ...(code === 'unauthorized' && { 'WWW-Authenticate': 'Bearer' }),
    ...(code === 'upgrade_required' && { Upgrade: 'websocket', Connection: 'Upgrade' }),
    ...(details.bytes !== undefined && { 'Content-Range': `bytes */${details.bytes}` }),
    ...(details.allow !== undefined && { Allow: details.allow }),
    ...(details.retryAfter !== undefined && { 'Retry-After': String(details.retryAfter) }),
  }
  if (code === 'wait_timeout') return emptyAnswer(status, headers)
  return { ...textAnswer(stringifyJson(problemBody(problem)), json, headers), status }
}

/** A refusal as JunimoServer answers it: 200 with `success:false`. @param members additional ones of its body */
export const refusalAs200 = (problem: Problem, members: object): Answer =>
  textAnswer(stringifyRecord({ ...problemBody(problem), ...members }), json)

/** Headers of every answer: no content sniffing, no referrer, no display in a frame, no scripts. */
export const securityHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
} as const

/** The parts of a response for a problem found outside the router, such as a malformed request. */
export function problemMessage(problem: Problem, requestId: string) {
  const { status, body, headers, type } = problemAnswer(problem)
  const all: Record<string, string> = {
    ...securityHeaders,
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
    ...headers,
    ...(body !== null && { 'Content-Type': type }),
  }
  return { status, headers: all, body }
}

export function problemResponse(problem: Problem, requestId: string): Response {
  const { status, headers, body } = problemMessage(problem, requestId)
  return new Response(body, { status, headers })
}
