/** Why a live connection does not open. */
import { FarmgateError } from './error.ts'
import { parseIfJson } from './json.ts'
import { anyOf, failureOf, headersTo, type Server, unreachable } from './request.ts'

/** Milliseconds in which the server must answer. */
const timeout = 10_000

/**
 * Finds the cause by an HTTP request to the same address, because a WebSocket reports none.
 * @param signal ends the request
 * @returns `retry` is false where a later attempt would fail in the same way: the address is not that of a farm
 */
export async function whyNotOpen(server: Server, signal: AbortSignal): Promise<FarmgateError> {
  const route = { method: 'GET' } as const
  try {
    const response = await server.fetch(`${server.url}/ws`, {
      // Without the key, the answer to an unknown path is the one to a missing key.
      headers: headersTo(server),
      signal: anyOf(signal, AbortSignal.timeout(timeout)),
    })
    const failure = failureOf(route, response, parseIfJson(await response.text()))
    if (failure.code === 'upgrade_required') return problem('upgrade_required', noUpgrade(server), true)
    if (response.redirected)
      return problem('bad_answer', `${server.url} redirects to ${farmOf(response)}; connect to that`, false)
    if (failure.retry || response.status >= 500) return problem(failure.code, failure.message, true)
    if (failure.code !== 'bad_answer') return failure
    const sentence = `${server.url} is not the address of a farm: /ws answers with HTTP ${response.status} and not as farmgate does`
    return problem('bad_answer', sentence, false)
  } catch (error) {
    return unreachable(server, route, error)
  }
}

const problem = (code: string, sentence: string, retry: boolean) =>
  new FarmgateError(code, sentence, { retry })

const farmOf = ({ url }: Response) => url.replace(/\/ws$/, '')

const noUpgrade = ({ url }: Server) =>
  `${new URL(url).host} did not open a WebSocket. It has too many clients, or a proxy in front of it does not pass on WebSockets`
