/** The control API on a Node HTTP server. */
import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { maxMessageBytes } from '../../handlers/chat/messages.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { Problem } from '../../handlers/problem.ts'
import { problemResponse } from '../http/answer.ts'
import { originRules } from '../http/cors.ts'
import { createGate } from '../http/gate.ts'
import type { KeyCheck } from '../http/keys.ts'
import { createMetrics, type Metrics } from '../http/metrics.ts'
import { limitsOf, type Rates } from '../http/rate-limit.ts'
import type { Log } from '../log.ts'
import { createRouter, type Page } from '../router.ts'
import { nodeCaller } from './caller.ts'
import { Chat } from './chat.ts'
import { type ConnectionLimits, isClientsOwn, noBytes, usualLimits, watchConnections } from './connections.ts'
import { connectionsFor } from './descriptors.ts'
import { hasOneHost, normaliseHost } from './host-header.ts'
import { rawResponse } from './raw-response.ts'
import { createWebSockets } from './websocket.ts'

export interface ServerOptions {
  readonly game: GameBridge
  readonly keys: KeyCheck
  readonly rates: Rates
  readonly allowedOrigins: readonly string[]
  readonly publicInviteCodes: boolean
  readonly basePath: string
  readonly trustProxy: number
  readonly maxClients: number
  /** Bounds on connections that differ from the usual ones. */
  readonly connections?: Partial<ConnectionLimits>
  readonly pages: ReadonlyMap<string, Page>
  readonly log: Log
}

export interface RunningServer {
  /** `http://host:port`, as a client on this machine would use it. */
  readonly url: string
  readonly port: number
  readonly metrics: Metrics
  /** Stops listening, closes sockets with 1001, ends long polls, lets other requests finish; at most `within` milliseconds. */
  stop(within: number): Promise<void>
}

/** Times of requests and keep-alive; and more room than the router allows, so that it answers. */
const limits = {
  maxHeaderSize: 64 * 1024,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1000,
  requireHostHeader: false,
}

/** @param listen port 0 is any free port; without a host, all interfaces */
export async function startServer(
  options: ServerOptions,
  listen: { readonly port: number; readonly host?: string },
): Promise<RunningServer> {
  const { game, keys, log } = options
  const now = () => Date.now()
  const monotonic = () => performance.now()
  const metrics = createMetrics(game, () => chat.listening)
  const origins = originRules(options.allowedOrigins, keys.required)
  const gate = createGate({ keys, limits: limitsOf(options.rates, now), origins, metrics, log, now })
  const chat = new Chat({
    game,
    gate,
    keyRequired: keys.required,
    maxClients: options.maxClients,
    metrics: metrics.chat,
    log,
    now,
    monotonic,
  })
  const stopping = new AbortController()
  // One for each long poll under way.
  setMaxListeners(0, stopping.signal)
  const app = createRouter<HttpBindings>({
    game,
    gate,
    origins,
    metrics,
    log,
    publicInviteCodes: options.publicInviteCodes,
    basePath: options.basePath,
    pages: options.pages,
    now,
    monotonic,
    newRequestId: randomUUID,
    // The chat listens as long as the server runs: this listener costs the game no more questions.
    hear: (listener) => stopping.signal.addEventListener('abort', game.subscribe(listener)),
    stopping: stopping.signal,
    caller: (request, env) => caller(request, env),
    upgrade: (c, caller) => sockets.upgrade(c, caller),
  })
  const serve = getRequestListener(app.fetch, {
    hostname: 'localhost',
    errorHandler: (error) => malformed(error, log),
  })
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (!hasOneHost(incoming)) connections.end(incoming.socket, () => refusal(notOneHost()))
    else if (connections.begin(incoming, outgoing)) {
      // Node drops what came in one read with a handshake that is declined: its sender would wait for ever.
      if (isHandshake(incoming)) connections.end(incoming.socket, noBytes)
      normaliseHost(incoming)
      return serve(incoming, outgoing)
    }
  }
  const connectionLimits = {
    ...usualLimits,
    most: connectionsFor(options.maxClients),
    ...options.connections,
  }
  const { headersTimeout } = connectionLimits
  // A handshake behind a request that is not answered yet is served as a plain request, in its turn: what
  // follows it would otherwise be written among the frames.
  const shouldUpgradeCallback = (incoming: IncomingMessage) =>
    isHandshake(incoming) && !connections.isBusy(incoming.socket)
  const server = createServer({ ...limits, headersTimeout, shouldUpgradeCallback }, answer)
  const connections = watchConnections(server, {
    limits: connectionLimits,
    isCounted: isClientsOwn(options.trustProxy),
    log,
    monotonic: () => performance.now(),
  })
  const caller = nodeCaller(options.trustProxy, connections)
  const sockets = createWebSockets(app, chat, connections, { maxPayload: maxMessageBytes })
  // An expectation that nobody knows is no reason for Node's bare 417.
  server.on('checkExpectation', answer)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET') socket.destroy()
    else connections.end(socket as Socket, () => refusal(malformedProblem(error)))
  })
  // Node would cut the connection, and with it the answers that are still to come.
  server.on('connect', ({ socket }) => {
    socket.on('error', () => undefined)
    connections.end(socket, () => refusal(new Problem('malformed_request', 'CONNECT is for proxies')))
  })
  sockets.listen(server)
  await listening(server, listen)
  const { port, address } = server.address() as AddressInfo
  const host =
    address === '::' || address === '0.0.0.0' ? 'localhost' : address.includes(':') ? `[${address}]` : address
  return {
    url: `http://${host}:${port}${options.basePath}`,
    port,
    metrics,
    async stop(within) {
      const closed = new Promise((resolve) => server.close(resolve))
      // A connection whose last request has ended would be kept alive for the next one.
      const sweep = setInterval(() => server.closeIdleConnections(), 50)
      stopping.abort()
      chat.close()
      const force = setTimeout(connections.destroyAll, within)
      await closed
      clearInterval(sweep)
      clearTimeout(force)
    },
  }
}

const listening = (server: Server, { port, host }: { readonly port: number; readonly host?: string }) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, ...(host !== undefined && { host }) }, () => {
      server.off('error', reject)
      resolve()
    })
  })

/** Any other offer, such as curl's h2c, is declined by serving the request as it is (RFC 9110 section 7.8). */
const isHandshake = ({ method, headers }: IncomingMessage) =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'

const notOneHost = () => new Problem('malformed_request', 'HTTP/1.1 needs a Host header, and only one')

/** Bytes for a connection that ends with them. */
const refusal = (problem: Problem) => rawResponse(problemResponse(problem, randomUUID()))

/** A request that Hono's adapter cannot read: a backslash in the path, a malformed Host header. */
function malformed(error: unknown, log: Log): Response {
  log.debug({ cause: String(error) }, 'malformed request')
  return problemResponse(new Problem('malformed_request', 'Malformed HTTP request'), randomUUID())
}

/** What Node's parser refuses never reaches the router; it is answered in the same shape. */
const malformedProblem = ({ code }: NodeJS.ErrnoException): Problem =>
  code === 'HPE_HEADER_OVERFLOW'
    ? new Problem('headers_too_large', 'Request line and headers are too large')
    : code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? new Problem('wait_timeout', '')
      : new Problem('malformed_request', 'Malformed HTTP request')
