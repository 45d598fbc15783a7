import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { isWrongHost, listenProblem } from '../../process/listen-address.ts'
import { Failure } from '../errors.ts'
import type { Socketed } from './app.ts'

/** The application that answers requests. */
interface Fetch {
  fetch(request: Request, env: Socketed['Bindings']): Response | Promise<Response>
}

/** A server that listens. */
export interface Listening {
  readonly port: number
  close(): Promise<void>
}

/**
 * Serves an app on a port (0 for any).
 * @throws Failure when the port is in use or no interface of this machine has the address
 */
export async function listen(app: Fetch, port: number, host: string | undefined): Promise<Listening> {
  // HTTP/1.0 probes send no Host header. Without this default name their requests would be refused.
  const server = createServer(
    getRequestListener((request, env) => app.fetch(request, env), { hostname: 'localhost' }),
  )
  server.headersTimeout = 10_000
  server.keepAliveTimeout = 65_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenFailure(error, port, host)))
    server.listen({ port, ...(host ? { host } : {}) }, resolve)
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
        // Requests that are still waiting are cut off; their callers try again.
        setTimeout(() => server.closeAllConnections(), 500).unref()
      }),
  }
}

function listenFailure(error: Error, port: number, host: string | undefined): Failure {
  const at = { port, host: host ?? undefined }
  const reason = listenProblem(error, at, { host: 'HOST', port: 'PORT' }) ?? error.message
  return new Failure(isWrongHost(error) ? 'environment' : 'failed', `cannot start: ${reason}`, {
    cause: error,
  })
}
