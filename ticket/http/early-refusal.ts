import type { IncomingMessage } from 'node:http'
import type { Connections } from '../../lib/connections.ts'
import { callerFrom } from './access.ts'
import type { Gate } from './gate.ts'
import type { HttpMetrics } from './http-metrics.ts'
import { pathOf, segments } from './path.ts'
import { bytesOf } from './response.ts'
import { routes } from './routes/all-routes.ts'

interface RefusalOptions {
  readonly gate: Pick<Gate, 'isSpent' | 'refusalOfSpent'>
  readonly connections: Pick<Connections, 'isStranger' | 'refuse'>
  readonly meter: Pick<HttpMetrics, 'answered'>
}

/**
 * Refuses the first request of a connection much faster than the app when its address has used up a limit
 * (docs/security.md).
 * @returns false for a request to serve; else its connection was closed after a 429
 */
export const isRefused =
  ({ gate, connections, meter }: RefusalOptions) =>
  ({ socket, url = '', headers }: IncomingMessage): boolean => {
    const { remoteAddress: address = '' } = socket
    if (!connections.isStranger(socket) || !gate.isSpent(address)) return false
    // A target may be a whole address (RFC 9112 section 3.2.2).
    const pathname = URL.parse(url.startsWith('/') ? `http://localhost${url}` : url)?.pathname ?? ''
    const header = (name: string) => {
      const value = headers[name]
      return typeof value === 'string' ? value : undefined
    }
    const refusal = gate.refusalOfSpent(callerFrom(address, pathname, header), pathname)
    if (refusal === undefined) return false
    meter.answered(pathLabel(pathname), refusal.status)
    connections.refuse(socket, bytesOf(refusal))
    return true
  }

const paths: ReadonlySet<string> = new Set(routes.flatMap((route) => route.paths))

/** @returns the route's path for a path, or `other`: the label of its requests in the metrics */
function pathLabel(pathname: string): string {
  const path = pathOf(segments(pathname))
  return paths.has(path) ? path : 'other'
}
