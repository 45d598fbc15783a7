/** The HTTP server around an application: listening, limits on connections, refusals and shutdown (docs/security.md). */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { callerOf } from './caller-address.ts'
import { type ConnectionLimits, isClientsOwn, usualLimits } from './connection-limits.ts'
import { type ConnectionOptions, noBytes, watchConnections } from './connections.ts'
import { connectionsFor } from './descriptors.ts'
import { errorCode } from './error-code.ts'
import { framingFault, handshakeFault, normaliseHost } from './framing.ts'
import { stoppableRequest } from './stoppable-request.ts'

/** Why a request is refused before the application sees it. */
export interface HttpFault {
  readonly code: 'malformed_request' | 'headers_too_large' | 'request_timeout'
  readonly sentence: string
}

interface ShellOptions extends Pick<ConnectionOptions, 'warn' | 'monotonic'> {
  /** Maximum of the application's WebSockets; 0 when it has none. */
  readonly maxWebSockets: number
  /** Limits on connections, where they differ from the usual ones. */
  readonly limits?: Partial<ConnectionLimits> | undefined
  /** The number of trusted proxies in front (`TRUST_PROXY`). */
  readonly trustProxy: number
  /** Bytes of request line and headers. */
  readonly maxHeaderSize?: number
}

/** Where a server listens. Port 0 is any free port; without a host, all interfaces. */
interface Address {
  readonly port: number
  readonly host?: string | undefined
}

/** Gives a server its connections instead of a port of this machine. @returns the address that it has there */
type Connect = (server: Server) => AddressInfo

export type ListenAt = Address | Connect

interface ShellApp {
  readonly fetch: Parameters<typeof getRequestListener>[0]
  /** Refuses a request much faster than `fetch` does. @returns whether it was refused, and its connection ended */
  isRefused(incoming: IncomingMessage): boolean
  /** Counts a request that cannot become one for `fetch`. @returns its answer */
  malformed(fault: HttpFault, address: string, cause: unknown): Response
  /** Counts a malformed request. @returns makes its answer, the last bytes of the connection */
  lastBytes(fault: HttpFault, address: string): () => Promise<Buffer>
  /** Takes a WebSocket handshake whose target is a path. */
  upgrade?(incoming: IncomingMessage, head: Buffer): void
}

/** Milliseconds in which the body of a request that is not an upload must arrive. */
const bodyTimeout = 30_000

/** Options of Node's server, whose time limit of a whole request would also end an upload. A missing Host is refused by `framingFault`, with a body like other errors. */
const serverOptions = {
  requestTimeout: 0,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1000,
  requireHostHeader: false,
}

export function httpShell(options: ShellOptions) {
  const { maxWebSockets, trustProxy, maxHeaderSize, warn, monotonic } = options
  const limits = { ...usualLimits, maxConnections: connectionsFor(maxWebSockets), ...options.limits }
  const connections = watchConnections({
    limits,
    countedAs: (address) => (isClientsOwn(trustProxy)(address) ? callerOf(address) : undefined),
    warn,
    monotonic,
  })
  const isHandshake = (incoming: IncomingMessage) => maxWebSockets > 0 && asksForWebSocket(incoming)
  const server = createServer({
    ...serverOptions,
    ...(maxHeaderSize !== undefined && { maxHeaderSize }),
    headersTimeout: limits.headersTimeout,
    IncomingMessage: stoppableRequest(connections.isEnding),
    // A handshake after an unanswered request is served as a plain request, in turn: otherwise the answer to the
    // earlier request would be written between the frames of the WebSocket.
    shouldUpgradeCallback: (incoming) =>
      connections.isEnding(incoming.socket) ||
      (isHandshake(incoming) && !connections.isBusy(incoming.socket)),
  })
  connections.watch(server)

  const handle = (app: ShellApp) => {
    const end = (socket: Socket, fault: HttpFault) =>
      connections.end(socket, app.lastBytes(fault, socket.remoteAddress ?? ''))
    const limitBody = (incoming: IncomingMessage) => {
      const { socket } = incoming
      const overdue = setTimeout(() => {
        if (!incoming.complete && !connections.isUploading(socket)) end(socket, late)
      }, bodyTimeout)
      incoming.once('close', () => clearTimeout(overdue))
    }
    /** The current request, because the error handler does not get the one that failed. */
    let current: IncomingMessage | undefined
    const listener = getRequestListener(app.fetch, {
      // HTTP/1.0 probes send no Host header. Without this default name their requests would be refused.
      hostname: 'localhost',
      // A backslash in the path, a malformed Host header.
      errorHandler: (error) => app.malformed(malformed(), current?.socket.remoteAddress ?? '', error),
    })
    const answer = (incoming: IncomingMessage, outgoing: ServerResponse) => {
      if (app.isRefused(incoming)) return
      const { socket } = incoming
      const fault = framingFault(incoming)
      if (fault !== undefined) end(socket, malformed(fault))
      else if (connections.begin(incoming, outgoing)) {
        // Node drops bytes that came in the same read as a handshake that is not upgraded. A request in them would
        // never get an answer, so the connection ends after this answer.
        if (isHandshake(incoming)) connections.end(socket, noBytes)
        normaliseHost(incoming)
        if (hasBody(incoming)) limitBody(incoming)
        connections.inTurn(socket, () => {
          current = incoming
          void listener(incoming, outgoing)
        })
      }
    }
    server.on('request', answer)
    // A request with an unknown `Expect` header is served; by default Node answers 417 without a body.
    server.on('checkExpectation', answer)
    server.on('clientError', (error, socket) => {
      if (errorCode(error) === 'ECONNRESET' || !(socket instanceof Socket)) socket.destroy()
      else end(socket, parserFault(error))
    })
    // By default Node destroys the connection of a CONNECT, and earlier requests would get no answer.
    server.on('connect', ({ socket }) => {
      socket.on('error', () => undefined)
      end(socket, malformed('CONNECT is for proxies'))
    })
    server.on('upgrade', (incoming, _socket, head) => {
      const { socket } = incoming
      // This is where the parser stops on a connection that must end.
      if (connections.isEnding(socket)) {
        connections.ignore(socket)
        return
      }
      socket.on('error', () => undefined)
      if (app.isRefused(incoming)) return
      const fault = handshakeFault(incoming)
      if (fault !== undefined) end(socket, malformed(fault))
      else app.upgrade?.(incoming, head)
    })
  }

  return {
    connections,
    /**
     * Listens.
     * @returns where it listens
     * @throws the error of the system: a port in use, an unknown host
     */
    async serve(app: ShellApp, at: ListenAt) {
      handle(app)
      if (typeof at === 'function') return at(server)
      const { port, host } = at
      server.listen({ port, ...(host !== undefined && { host }) })
      await once(server, 'listening')
      return server.address() as AddressInfo
    },
    /**
     * Stops listening and lets pending requests finish. @param within milliseconds, after which connections are
     * destroyed
     */
    async close(within: number) {
      const closed = new Promise((resolve) => server.close(resolve))
      // Closes connections that became idle after `server.close`; keep-alive would leave them open.
      const sweep = setInterval(() => server.closeIdleConnections(), 50)
      const force = setTimeout(connections.destroyAll, within)
      await closed
      clearInterval(sweep)
      clearTimeout(force)
    },
  }
}

/** Any other `Upgrade`, such as curl's h2c, is ignored (RFC 9110 section 7.8). */
const asksForWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'

const malformed = (sentence = 'Malformed HTTP request'): HttpFault => ({
  code: 'malformed_request',
  sentence,
})

const late: HttpFault = { code: 'request_timeout', sentence: 'The request did not come in time' }

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/** Why Node's parser refuses a request. */
function parserFault(error: Error): HttpFault {
  switch (errorCode(error)) {
    case 'HPE_HEADER_OVERFLOW':
      return { code: 'headers_too_large', sentence: 'Request line and headers are too large' }
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return late
    default:
      return malformed()
  }
}
