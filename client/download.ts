/** Reads the archive of a backup, which can be too large for memory. */
import { parseIfJson } from './json.ts'
import { failureOf, type Server, unreachable } from './request.ts'

export interface Download {
  /** Of the whole archive. */
  bytes: number
  /** From `from` to the end. */
  body: ReadableStream<Uint8Array>
}

const path = '/backups/download'

/**
 * @param from the first byte, to go on with a download that broke off
 * @throws {FarmgateError} the server's error, `unreachable`, `bad_answer`; the reason of a signal that was aborted
 */
export async function download(
  server: Server,
  { id, from = 0 }: { id: string; from?: number | undefined },
  signal: AbortSignal | undefined,
): Promise<Download> {
  const signals = [signal, server.signal].filter((one) => one !== undefined)
  const headers: Record<string, string> = {}
  if (server.key !== '') headers['authorization'] = `Bearer ${server.key}`
  if (from > 0) headers['range'] = `bytes=${from}-`
  const response = await server
    .fetch(`${server.url}${path}?${new URLSearchParams({ id })}`, {
      headers,
      signal: AbortSignal.any(signals),
    })
    .catch((error: unknown) => {
      for (const one of signals) one.throwIfAborted()
      throw unreachable(server, { method: 'GET' }, error)
    })
  const { status, body } = response
  const total = response.headers.get(from > 0 ? 'content-range' : 'content-length')?.replace(/^.*\//, '')
  if (status !== (from > 0 ? 206 : 200) || body === null || !/^[0-9]+$/.test(total ?? ''))
    throw failureOf({ method: 'GET' }, response, parseIfJson(await response.text()))
  return { bytes: Number(total), body }
}
