/** The control API on a Node HTTP server. */
import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { ChatHistory, type ChatLines } from '../../handlers/chat/history.ts'
import { maxMessageBytes } from '../../handlers/chat/messages.ts'
import type { Farm } from '../../handlers/endpoint.ts'
import { Problem } from '../../handlers/problem.ts'
import { callerOf } from '../../lib/caller-address.ts'
import { type ConnectionLimits, isClientsOwn, usualLimits } from '../../lib/connection-limits.ts'
import { noBytes, watchConnections } from '../../lib/connections.ts'
import { connectionsFor } from '../../lib/descriptors.ts'
import { framingFault } from '../../lib/framing.ts'
import { normaliseHost } from '../../lib/host-header.ts'
import type { ServerKeys } from '../../lib/key-ring.ts'
import type { Log } from '../../lib/log.ts'
import type { Rates } from '../../lib/rate-limit.ts'
import { stoppableRequest } from '../../lib/stoppable-request.ts'
import { createApi, type RouterParts } from '../api.ts'
import { chatAudit } from '../chat/chat-audit.ts'
import { problemResponse } from '../http/answer.ts'
import { originRules } from '../http/cors.ts'
import type { Metrics } from '../http/metrics.ts'
import { nodeCaller } from './caller.ts'
import { Chat } from './chat.ts'
import { farOverAddresses } from './early-refusal.ts'
import { addressOf, listening } from './listening.ts'
import { problemOfParser } from './problem-of-parser.ts'
import { rawProblem } from './raw-problem.ts'
import { createWebSockets } from './websocket.ts'

type Routed = 'publicInviteCodes' | 'refusalsAs200' | 'discord' | 'basePath' | 'pages'

export interface ServerOptions extends Omit<Farm, 'metrics'>, Pick<RouterParts<object>, Routed> {
  readonly log: Log
  readonly keys: ServerKeys
  readonly rates: Rates
  readonly allowedOrigins: readonly string[]
  readonly trustProxy: number
  readonly maxClients: number
  /** Where chat lines are numbered and kept; in memory unless given. */
  readonly chatLines?: ChatLines
  /** Limits on connections, where they differ from `usualLimits`. */
  readonly connections?: Partial<ConnectionLimits>
}

export interface RunningServer {
  /** `http://host:port`, as a client on this machine would use it. */
  readonly url: string
  readonly port: number
  readonly metrics: Metrics
  /** Stops listening, closes sockets with 1001, ends long polls, lets other requests finish; at most `within` milliseconds. */
  stop(within: number): Promise<void>
}

/**
 * Options of Node's server. The router's own limit on headers is below `maxHeaderSize`, so that the router answers
 * requests beyond it.
 */
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
  const { game, records, keys, log } = options
  const now = () => Date.now()
  const monotonic = () => performance.now()
  const { metrics, audit, gate, refusals, router } = createApi({
    farm: { game, records, backups: options.backups },
    keys,
    origins: originRules(options.allowedOrigins, keys.required),
    rates: options.rates,
    log,
    listening: () => chat.listening,
    now,
    monotonic,
    newRequestId: randomUUID,
  })
  const chat = new Chat({
    game,
    lines: options.chatLines ?? new ChatHistory(now() * 1000),
    gate,
    keys,
    maxClients: options.maxClients,
    audit: chatAudit(audit, randomUUID, monotonic),
    metrics: metrics.chat,
    log,
    now,
    monotonic,
  })
  const stopping = new AbortController()
  // Each long poll under way adds a listener.
  setMaxListeners(0, stopping.signal)
  const app = router<HttpBindings>({
    gate,
    ageOnRefusals: true,
    publicInviteCodes: options.publicInviteCodes,
    refusalsAs200: options.refusalsAs200,
    discord: options.discord,
    basePath: options.basePath,
    pages: options.pages,
    // The chat subscribes to the game as long as the server runs, so that this listener makes no further calls to it.
    hear: (listener) => stopping.signal.addEventListener('abort', game.subscribe(listener)),
    stopping: stopping.signal,
    caller: (request, env) => caller(request, env),
    upgrade: (c, caller) => sockets.upgrade(c, caller),
  })
  /** Counts what the router does not see. @returns makes the last bytes of its connection */
  const refusal = ({ remoteAddress = '' }: Socket, problem: Problem) => {
    const counted = gate.malformed(remoteAddress, problem)
    return async () => rawProblem(counted)
  }
  /** The request that is handed to the router, because the error handler is not told which one it could not read. */
  let current: IncomingMessage | undefined
  const listener = getRequestListener(app.fetch, {
    hostname: 'localhost',
    // A backslash in the path, a malformed Host header.
    errorHandler: (error) => {
      log.debug({ cause: String(error) }, 'malformed request')
      const problem = new Problem('malformed_request', 'Malformed HTTP request')
      return problemResponse(gate.malformed(current?.socket.remoteAddress ?? '', problem), randomUUID())
    },
  })
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    current = incoming
    void listener(incoming, outgoing)
  }
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (farOver.isTurnedAway(incoming)) return
    const { socket } = incoming
    const fault = framingFault(incoming)
    if (fault !== undefined) connections.end(socket, refusal(socket, new Problem('malformed_request', fault)))
    else if (connections.begin(incoming, outgoing)) {
      // Node drops bytes that came in the same read as a handshake that is not upgraded. A request in them would never
      // be answered, so the connection ends after this answer.
      if (isHandshake(incoming)) connections.end(socket, noBytes)
      normaliseHost(incoming)
      connections.inTurn(socket, () => serve(incoming, outgoing))
    }
  }
  const connectionLimits = {
    ...usualLimits,
    maxConnections: connectionsFor(options.maxClients),
    ...options.connections,
  }
  const { headersTimeout } = connectionLimits
  // A handshake behind a request that is not answered yet is served as a plain request, in turn: otherwise the answer
  // to the earlier request would be written between the frames of the WebSocket.
  const shouldUpgradeCallback = (incoming: IncomingMessage) =>
    connections.isEnding(incoming.socket) || (isHandshake(incoming) && !connections.isBusy(incoming.socket))
  const Request = stoppableRequest((socket) => connections.isEnding(socket))
  const server = createServer(
    { ...limits, headersTimeout, shouldUpgradeCallback, IncomingMessage: Request },
    answer,
  )
  const connections = watchConnections(server, {
    limits: connectionLimits,
    countedAs: (address) => (isClientsOwn(options.trustProxy)(address) ? callerOf(address) : undefined),
    warn: {
      ofAll: (fields) =>
        log.warn(
          fields,
          'too many connections: closing those that were idle longest, first of those without a key',
        ),
      ofOneAddress: (fields) =>
        log.warn(
          fields,
          'too many connections of one address: closing those without the key that were idle longest',
        ),
    },
    monotonic,
  })
  // A proxy's connection carries requests of others too.
  const isProxied = options.trustProxy > 0
  const caller = nodeCaller(
    options.trustProxy,
    isProxied ? { ...connections, cut: () => false } : connections,
  )
  const farOver = farOverAddresses({
    gate,
    connections,
    refusals,
    log,
    isProxied,
    basePath: options.basePath,
    monotonic,
  })
  const sockets = createWebSockets(
    app,
    chat,
    { ...connections, refusal, isTurnedAway: farOver.isTurnedAway },
    { maxPayload: maxMessageBytes },
  )
  // A request with an unknown `Expect` header is served; by default Node answers 417 without a body.
  server.on('checkExpectation', answer)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET') socket.destroy()
    else connections.end(socket as Socket, refusal(socket as Socket, problemOfParser(error)))
  })
  // By default Node destroys the connection of a CONNECT, and requests before it would not be answered.
  server.on('connect', ({ socket }) => {
    socket.on('error', () => undefined)
    connections.end(socket, refusal(socket, new Problem('malformed_request', 'CONNECT is for proxies')))
  })
  sockets.listen(server)
  await listening(server, listen)
  const everyMinute = setInterval(() => {
    refusals.flush()
    farOver.flush()
  }, 60_000)
  everyMinute.unref()
  const { port, host } = addressOf(server)
  return {
    url: `http://${host}:${port}${options.basePath}`,
    port,
    metrics,
    async stop(within) {
      const closed = new Promise((resolve) => server.close(resolve))
      // Closes connections that became idle after `server.close`; keep-alive would leave them open.
      const sweep = setInterval(() => server.closeIdleConnections(), 50)
      stopping.abort()
      chat.close()
      const force = setTimeout(connections.destroyAll, within)
      await closed
      clearInterval(sweep)
      clearInterval(everyMinute)
      clearTimeout(force)
      refusals.flush(true)
      farOver.flush(true)
    },
  }
}

/** A request with any other `Upgrade`, such as curl's h2c, is served as if it had none (RFC 9110 section 7.8). */
const isHandshake = ({ method, headers }: IncomingMessage) =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
