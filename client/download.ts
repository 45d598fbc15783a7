/** Reads what can be too large for memory: the archive of a backup, and the whole audit. */
import { parseIfJson } from './json.ts'
import { anyOf, failureOf, headersTo, type Server, unreachable } from './request.ts'

export interface Download {
  /** Of the whole archive. */
  bytes: number
  /** From `from` to the end. */
  body: ReadableStream<Uint8Array>
}

/**
 * @param from the first byte, to resume an interrupted download
 * @throws {FarmgateError} the server's error, `unreachable`, `bad_answer`; the reason of a signal that was aborted
 */
export async function download(
  server: Server,
  { id, from = 0 }: { id: string; from?: number | undefined },
  signal: AbortSignal | undefined,
): Promise<Download> {
  const range: Record<string, string> = from > 0 ? { range: `bytes=${from}-` } : {}
  const response = await answerOf(server, '/backups/download', { id }, signal, range)
  const { status, body, headers } = response
  const total = headers.get(from > 0 ? 'content-range' : 'content-length')?.replace(/^.*\//, '')
  if (status !== (from > 0 ? 206 : 200) || body === null || !/^[0-9]+$/.test(total ?? ''))
    throw await refusalOf(response)
  return { bytes: Number(total), body }
}

export interface AuditFilter {
  action?: string | undefined
  key?: string | undefined
}

/**
 * Lines of JSON, newest first.
 * @throws {FarmgateError} the server's error, `unreachable`, `bad_answer`; the reason of a signal that was aborted
 */
export async function exportAudit(
  server: Server,
  filter: AuditFilter,
  signal: AbortSignal | undefined,
): Promise<ReadableStream<Uint8Array>> {
  const response = await answerOf(server, '/audit/export', filter, signal)
  const isLines = response.headers.get('content-type')?.startsWith('application/jsonl') === true
  if (response.status !== 200 || response.body === null || !isLines) throw await refusalOf(response)
  return response.body
}

/**
 * The zip for asking for help. @param names whether names of players stay
 * @throws {FarmgateError} the server's error, `unreachable`; the reason of a signal that was aborted
 */
export async function bundle(
  server: Server,
  { names }: { names?: boolean | undefined },
): Promise<Uint8Array> {
  const response = await answerOf(server, '/support', { names }, undefined)
  if (response.status !== 200) throw await refusalOf(response)
  return new Uint8Array(await response.arrayBuffer())
}

async function answerOf(
  server: Server,
  path: string,
  query: object,
  signal: AbortSignal | undefined,
  headers: Record<string, string> = {},
): Promise<Response> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const ended = anyOf(signal, server.signal)
  return server
    .fetch(`${server.url}${path}?${new URLSearchParams(given)}`, {
      headers: { ...headersTo(server), ...headers },
      signal: ended,
    })
    .catch((error: unknown) => {
      ended.throwIfAborted()
      throw unreachable(server, { method: 'GET' }, error)
    })
}

const refusalOf = async (response: Response) =>
  failureOf({ method: 'GET' }, response, parseIfJson(await response.text()))
