import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { errorCode, Failure } from '../failure.ts'
import type { Socketed } from './app.ts'

/** What answers requests. */
interface Fetch {
  fetch(request: Request, env: Socketed['Bindings']): Response | Promise<Response>
}

/** A server that listens. */
export interface Listening {
  readonly port: number
  close(): Promise<void>
}

/** Serves an app on a port (0 for any). @throws Failure when the port is taken or the address is not ours. */
export async function listen(app: Fetch, port: number, host: string | null): Promise<Listening> {
  // HTTP/1.0 probes send no Host header; without a name to stand in they would be refused.
  const server = createServer(
    getRequestListener((request, env) => app.fetch(request, env), { hostname: 'localhost' }),
  )
  server.headersTimeout = 10_000
  server.keepAliveTimeout = 65_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new Failure('failed', listenProblem(error, port, host), { cause: error })),
    )
    server.listen({ port, ...(host ? { host } : {}) }, resolve)
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
        // A request that is being held is given up: its caller tries again.
        setTimeout(() => server.closeAllConnections(), 500).unref()
      }),
  }
}

function listenProblem(error: unknown, port: number, host: string | null): string {
  const code = errorCode(error)
  if (code === 'EADDRINUSE') return `Port ${port} is in use. Set PORT to another one.`
  if (code === 'EADDRNOTAVAIL') return `HOST ${host} is no address of this machine.`
  return `Cannot listen on port ${port} (${code}).`
}
