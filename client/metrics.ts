/** Reads the farm's metrics, which are text. */
import type { CallOptions } from './calls.ts'
import { failureOf, parsed, type Server, unreachable } from './request.ts'

/** @throws {FarmgateError} the server's error, `unreachable`; the reason of a signal that was aborted */
export async function metrics(server: Server, signal: CallOptions['signal']): Promise<string> {
  const signals = [signal, server.signal, AbortSignal.timeout(server.timeout)].filter(
    (one) => one !== undefined,
  )
  const headers = server.key === '' ? {} : { authorization: `Bearer ${server.key}` }
  const response = await server
    .fetch(`${server.url}/metrics`, { headers, signal: AbortSignal.any(signals) })
    .catch((error: unknown) => {
      signal?.throwIfAborted()
      server.signal?.throwIfAborted()
      throw unreachable(server, { method: 'GET' }, error)
    })
  const text = await response.text()
  if (!response.ok) throw failureOf({ method: 'GET' }, response, parsed(text))
  return text
}
