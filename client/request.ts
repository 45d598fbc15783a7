/** One call of the HTTP API: sends it, reads the answer, and repeats reads that can succeed a little later. */
import type { CallOptions, Route } from './call.ts'
import { FarmgateError } from './error.ts'
import { parseIfJson } from './json.ts'
import { jitter, pause } from './pause.ts'

export interface Server {
  /** Without a trailing slash. */
  readonly url: string
  /** Empty for a server without a key. */
  readonly key: string
  readonly fetch: typeof globalThis.fetch
  /** Milliseconds for a call without its own limit. */
  readonly timeout: number
  readonly signal: AbortSignal | undefined
}

/** Maximum of attempts of a read. */
const maxAttempts = 3
/**
 * Milliseconds before the first repeat when the server does not say how long to wait; twice as long before each next.
 */
const firstPause = 250

/**
 * Sends a call. A read is repeated, at most twice, when there was no answer or the answer says `retry`; a change never
 * is, because it may have been made.
 * @throws {FarmgateError} the server's error, `unreachable`, `timeout` or `bad_answer`; the reason of a signal that
 * was aborted
 */
export async function call(
  server: Server,
  route: Route,
  parameters: object = {},
  { signal, timeout = Math.max(server.timeout, route.timeout ?? 0) }: CallOptions = {},
): Promise<unknown> {
  const over = AbortSignal.timeout(timeout)
  const until = performance.now() + timeout
  const signals = [signal, server.signal, over].filter((one) => one !== undefined)
  const ended = AbortSignal.any(signals)
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await once(server, route, parameters, ended)
    } catch (error) {
      for (const one of signals) if (one !== over) one.throwIfAborted()
      if (over.aborted)
        throw new FarmgateError('timeout', `No answer within ${timeout} ms${unknownEnd(route)}`)
      const failure = error instanceof FarmgateError ? error : unreachable(server, route, error)
      const wait =
        failure.retryAfter === undefined ? jitter(firstPause * 2 ** (attempt - 1)) : failure.retryAfter * 1000
      const isLast = attempt === maxAttempts || performance.now() + wait >= until
      if (route.method !== 'GET' || !failure.retry || isLast) throw failure
      // The next attempt notices an abort during the pause: its request fails at once.
      await pause(wait, ended)
    }
  }
}

/** The headers of every request. */
export const headersTo = ({ key }: Server): Readonly<Record<string, string>> => ({
  accept: 'application/json',
  ...(key !== '' && { authorization: `Bearer ${key}` }),
})

/** Aborted as soon as one of the given signals is. */
export const anyOf = (...signals: readonly (AbortSignal | undefined)[]): AbortSignal =>
  AbortSignal.any(signals.filter((one) => one !== undefined))

async function once(server: Server, route: Route, parameters: object, signal: AbortSignal): Promise<unknown> {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined)
  const { type } = route
  const inQuery = (name: string) => type === undefined || route.inQuery?.includes(name) === true
  const sent = given.filter(([name]) => inQuery(name)).map(([name, value]) => [name, String(value)])
  const query = String(new URLSearchParams(sent))
  const response = await server.fetch(`${server.url}${route.path}${query === '' ? '' : `?${query}`}`, {
    method: route.method,
    headers: { ...headersTo(server), ...(type !== undefined && { 'content-type': type }) },
    signal,
    ...(type !== undefined && {
      body:
        type === 'application/json'
          ? JSON.stringify(Object.fromEntries(given.filter(([name]) => !inQuery(name))))
          : (parameters as { content: Blob }).content,
    }),
  })
  const text = await response.text()
  if (response.ok && route.isText === true) return text
  const body = parseIfJson(text)
  if (response.ok && typeof body === 'object' && body !== null) return body
  throw failureOf(route, response, body)
}

/** Of a proxy in front of the server, which sends its own page while the server restarts or is flooded. */
const passing: readonly number[] = [429, 502, 503, 504]

export function failureOf(
  { method }: Pick<Route, 'method'>,
  { status, headers }: Response,
  body: unknown,
): FarmgateError {
  const details = {
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfter: retryAfter(headers),
    body,
  }
  // A long poll without a match has no body.
  if (status === 408)
    return new FarmgateError('wait_timeout', 'Nothing matched in time', { ...details, retry: false })
  const { error, code, retry, parameter } = (body ?? {}) as Record<string, unknown>
  if (typeof error !== 'string' || typeof code !== 'string')
    return new FarmgateError('bad_answer', `The answer (HTTP ${status}) is not one of farmgate`, {
      ...details,
      retry: method === 'GET' && passing.includes(status),
    })
  return new FarmgateError(code, error, {
    ...details,
    retry: retry === true,
    parameter: typeof parameter === 'string' ? parameter : undefined,
  })
}

/** @returns seconds from now; the header has seconds or a date (RFC 9110, 10.2.3), which is by the server's clock */
function retryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? ''
  if (/^[0-9]+$/.test(text)) return Number(text)
  const now = Date.parse(headers.get('date') ?? '') || Date.now()
  const seconds = (Date.parse(text) - now) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

export const unreachable = ({ url }: Server, route: Pick<Route, 'method'>, cause: unknown): FarmgateError =>
  new FarmgateError(
    'unreachable',
    `No answer from ${new URL(url).host}${codeIn(cause)}${unknownEnd(route)}`,
    { retry: route.method === 'GET', cause },
  )

/** The system's error code, such as ECONNREFUSED, where the platform has one: browsers have none. */
function codeIn(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? ` (${code})` : codeIn(error.cause)
}

/** Completes the sentence of a call without an answer. */
const unknownEnd = ({ method }: Pick<Route, 'method'>): string =>
  method === 'GET' ? '' : '; whether the change was made is unknown'
