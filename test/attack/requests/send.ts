/** Requests with any method and headers, over one pool of connections. */
import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { parseJson, stringifyJson } from '../../../lib/json.ts'

const agent = new Agent({ keepAlive: true, maxSockets: 8 })

export interface Sent {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The body as JSON with exact integers; undefined when it is not JSON. */
  readonly json: unknown
}

/** @param headers as sent; a list is one header several times @param body sent as JSON */
export async function send(
  url: string,
  method: string,
  path: string,
  headers: OutgoingHttpHeaders,
  body?: unknown,
): Promise<Sent> {
  const { hostname, port, pathname } = new URL(url)
  const answer = await new Promise<{ status: number; headers: IncomingHttpHeaders; body: string }>(
    (resolve, reject) => {
      const asked = request({
        agent,
        hostname,
        port,
        method,
        path: pathname.replace(/\/$/, '') + path,
        headers,
      })
      asked.on('error', reject)
      asked.on('response', (response) => {
        text(response).then(
          (body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
          reject,
        )
      })
      asked.end(body === undefined ? undefined : stringifyJson(body))
    },
  )
  return { status: answer.status, headers: answer.headers, json: jsonOf(answer.body) }
}

function jsonOf(body: string): unknown {
  try {
    return parseJson(body)
  } catch {
    return undefined
  }
}
