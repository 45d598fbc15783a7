/** Servers of which the doctor finds something wrong. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }

type Answers = Readonly<Record<string, unknown>>

/** Answers paths with JSON, or with a status when it is a number; a text is sent as it is. @returns its address */
export async function answering(answers: Answers, key?: string): Promise<string> {
  const isRefused = ({ headers }: IncomingMessage) =>
    key !== undefined && headers.authorization !== `Bearer ${key}`
  const server = createServer((request, response) => {
    const answer = answers[request.url?.split('?')[0] ?? '']
    const body = typeof answer === 'function' ? answer() : answer
    if (isRefused(request) && request.url === '/players') response.writeHead(401)
    else if (typeof body === 'number' || body === undefined) response.writeHead(body ?? 404)
    response.end(typeof body === 'string' ? body : JSON.stringify(typeof body === 'object' ? body : {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}

/** A farm without faults, with some answers replaced. */
export const farmWith = (health: object = {}, more: Answers = {}): Answers => ({
  '/health': () => ({ timestamp: new Date().toISOString(), gameAvailable: true, isFrozen: false, ...health }),
  '/players': { players: [], version: 1 },
  '/openapi.json': { info: { version: manifest.version } },
  '/wait/status': { dayTransitionComplete: true },
  '/metrics': '',
  ...more,
})
