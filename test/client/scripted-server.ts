/** A server that answers by a script, on loopback. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { expect } from 'vitest'
import { connect } from '../../client/index.ts'
import { portOf } from '../port-of.ts'

export type Answer = (request: IncomingMessage, response: ServerResponse) => void

export const key = 'a key of the tests'
export const offline = {
  success: false,
  error: 'The game server is not reachable',
  code: 'game_unavailable',
  retry: true,
}
export const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))
export const cut: Answer = (request) => request.socket.destroy()
export const never: Answer = () => undefined

/** A server whose n-th request gets the n-th answer, and every later one the last. */
export async function scripted(...answers: readonly Answer[]) {
  const requests: {
    readonly method: string
    readonly url: string
    readonly body: string
    readonly key: string
  }[] = []
  const server = createServer(async (request, response) => {
    const at = requests.length
    let body = ''
    const seen = {
      method: request.method ?? '',
      url: request.url ?? '',
      key: request.headers.authorization ?? '',
    }
    requests.push({ ...seen, body })
    for await (const piece of request) body += String(piece)
    requests[at] = { ...seen, body }
    answers[Math.min(at, answers.length - 1)]?.(request, response)
  })
  const url = `http://127.0.0.1:${await portOf(server)}`
  return { requests, url, farm: connect({ url, key }) }
}

/** The error of a call. */
export const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => expect.unreachable('the call succeeded'),
    (failure: unknown) => failure,
  )
