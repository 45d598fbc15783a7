/** Requests as the contract's clients make them. */
import { expect } from 'vitest'
import { parseJson } from '../../lib/json.ts'
import type { ServerUnderTest } from './server-under-test.ts'

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON with exact integers; undefined when it is not JSON. */
  readonly json: unknown
}

export interface RequestOptions {
  readonly headers?: Record<string, string>
  readonly body?: BodyInit
  /** The body as JSON, with its type; a text is sent as it is. */
  readonly json?: unknown
  readonly signal?: AbortSignal
}

/** Without a key. @param path from the API's root, with its query */
export async function ask(
  { url }: Pick<ServerUnderTest, 'url'>,
  method: string,
  path: string,
  { headers, json, body = textOf(json), signal }: RequestOptions = {},
): Promise<Reply> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...(json !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    redirect: 'manual',
    ...(body !== undefined && { body }),
    ...(body instanceof ReadableStream && { duplex: 'half' }),
    ...(signal !== undefined && { signal }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: jsonOf(text) }
}

const textOf = (json: unknown) => (typeof json === 'string' ? json : JSON.stringify(json))

/** With the server's key. */
export const askWithKey = (
  server: Pick<ServerUnderTest, 'url' | 'key'>,
  method: string,
  path: string,
  { headers = {}, ...rest }: RequestOptions = {},
): Promise<Reply> =>
  ask(server, method, path, { ...rest, headers: { Authorization: `Bearer ${server.key}`, ...headers } })

function jsonOf(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** The one error body, with this status and code and the other members it must have. */
export function expectProblem(
  reply: Reply,
  status: number,
  code: string,
  more: Readonly<Record<string, unknown>> = {},
): void {
  expect({ status: reply.status, json: reply.json }).toEqual({
    status,
    json: { success: false, error: expect.stringMatching(/\S/), code, ...more },
  })
  expect(reply.headers.get('content-type')).toBe('application/json')
}

/** Every route that is not a WebSocket. */
export const publicPaths = [
  '/health',
  '/ready',
  '/status',
  '/badge.svg',
  '/docs',
  '/openapi.json',
  '/swagger/v1/swagger.json',
  '/asyncapi.json',
] as const
export const keyedReads = [
  '/players',
  '/invite-code',
  '/farmhands',
  '/settings',
  '/cabins',
  '/rendering',
  '/metrics',
] as const
export const writes = [
  ['DELETE', '/farmhands'],
  ['POST', '/farmhands/rebind'],
  ['POST', '/rendering'],
  ['POST', '/time'],
  ['POST', '/roles/admin'],
] as const
