/** A receiver of webhooks: a real HTTP server on loopback. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { portOf } from '../../port-of.ts'

interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Receiver {
  readonly url: string
  readonly port: number
  /** Every request, oldest first. */
  readonly received: readonly Received[]
  /** Sets the answers from now on; 204 at first. */
  answers(answer: (response: ServerResponse, request: Received) => void): void
}

export const status =
  (code: number, headers: Record<string, string> = {}, body = '') =>
  (response: ServerResponse): void =>
    void response.writeHead(code, headers).end(body)

export async function aReceiver(): Promise<Receiver> {
  const received: Received[] = []
  let answer: (response: ServerResponse, request: Received) => void = status(204)
  const server = createServer(async (request, response) => {
    response.on('error', () => undefined)
    const one = { path: request.url ?? '', headers: request.headers, body: await text(request) }
    received.push(one)
    answer(response, one)
  })
  const port = await portOf(server)
  return {
    url: `http://127.0.0.1:${port}/secret-path`,
    port,
    received,
    answers(next) {
      answer = next
    },
  }
}

/** The players in the received deliveries, oldest first; `test` for a test. */
export const namesAt = ({ received }: Receiver) =>
  received.map(({ body }) => (JSON.parse(body) as { data: { name?: string } }).data.name ?? 'test')
