import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { callerOf } from '../../lib/caller-address.ts'
import { type ConnectionLimits, isClientsOwn, usualLimits } from '../../lib/connection-limits.ts'
import { watchConnections } from '../../lib/connections.ts'
import { connectionsFor } from '../../lib/descriptors.ts'
import { framingFault } from '../../lib/framing.ts'
import { normaliseHost } from '../../lib/host-header.ts'
import { isWrongHost, listenProblem } from '../../lib/listen-address.ts'
import type { Log } from '../../lib/log.ts'
import { stoppableRequest } from '../../lib/stoppable-request.ts'
import { Failure } from '../errors.ts'
import { type Connection, connectionOf } from './connection.ts'
import { isTurnedAway } from './early-refusal.ts'
import type { Gate } from './gate.ts'
import type { HttpMetrics } from './http-metrics.ts'
import { malformed, parserRefusal } from './refusals.ts'
import { bytesOf, responseOf } from './response.ts'
import type { TicketAnswer } from './routes/route.ts'

/** The application that answers requests. */
interface Fetch {
  fetch(request: Request, connection: Connection): Response | Promise<Response>
}

export interface ListenOptions {
  /** 0 is any free port. */
  readonly port: number
  /** Listen address; undefined for all interfaces. */
  readonly host: string | undefined
  readonly gate: Pick<Gate, 'isSpent' | 'refusalOfSpent' | 'malformed'>
  readonly meter: Pick<HttpMetrics, 'answered'>
  readonly log: Pick<Log, 'warn'>
  /** Milliseconds that only ever grow. */
  readonly monotonic: () => number
  /** Limits on connections, where they differ from the usual ones. */
  readonly limits?: Partial<ConnectionLimits>
}

/** A server that listens. */
export interface Listening {
  readonly port: number
  close(): Promise<void>
}

/** Options of Node's server. A missing Host is refused here, with a body like other errors. */
const serverOptions = {
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1000,
  requireHostHeader: false,
}

/** Milliseconds for requests under way when the server closes. */
const closeTimeout = 500

/**
 * Serves an app on a port.
 * @throws Failure when the port is in use or no interface of this machine has the address
 */
export async function listen(
  app: Fetch,
  { port, host, gate, meter, log, monotonic, limits = {} }: ListenOptions,
): Promise<Listening> {
  const connectionLimits = { ...usualLimits, maxConnections: connectionsFor(0), ...limits }
  /** Counts what is no request that the app could judge. @returns the answer to it */
  const refused = (address: string | undefined, answer: TicketAnswer): TicketAnswer => {
    const counted = gate.malformed(address, answer)
    meter.answered('other', counted.status)
    return counted
  }
  const end = (socket: Socket, answer: TicketAnswer) =>
    connections.end(socket, async () => bytesOf(refused(socket.remoteAddress, answer)))
  /** The request that is handed to the app, because the error handler is not told which one it could not read. */
  let current: IncomingMessage | undefined
  const serve = getRequestListener(
    (request, { incoming }) => app.fetch(request, connectionOf(incoming, connections)),
    {
      // HTTP/1.0 probes send no Host header. Without this default name their requests would be refused.
      hostname: 'localhost',
      errorHandler: () => responseOf(refused(current?.socket.remoteAddress, malformed())),
    },
  )
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (turnedAway(incoming)) return
    const fault = framingFault(incoming)
    if (fault !== undefined) end(incoming.socket, malformed(fault))
    else if (connections.begin(incoming, outgoing)) {
      normaliseHost(incoming)
      connections.inTurn(incoming.socket, () => {
        current = incoming
        void serve(incoming, outgoing)
      })
    }
  }
  const { headersTimeout } = connectionLimits
  const isEnding = (socket: Socket) => connections.isEnding(socket)
  const server = createServer(
    {
      ...serverOptions,
      headersTimeout,
      IncomingMessage: stoppableRequest(isEnding),
      shouldUpgradeCallback: ({ socket }) => isEnding(socket),
    },
    answer,
  )
  const connections = watchConnections(server, {
    limits: connectionLimits,
    countedAs: (address) => (isClientsOwn(0)(address) ? callerOf(address) : undefined),
    warn: {
      ofAll: (fields) =>
        log.warn(fields, 'Too many connections: closing those without the key that were idle longest'),
      ofOneAddress: (fields) =>
        log.warn(
          fields,
          'Too many connections of one address: closing those without the key that were idle longest',
        ),
    },
    monotonic,
  })
  const turnedAway = isTurnedAway({ gate, connections, meter })
  // A request with an unknown `Expect` header is served; by default Node answers 417 without a body.
  server.on('checkExpectation', answer)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !(socket instanceof Socket)) socket.destroy()
    else end(socket, parserRefusal(error))
  })
  // By default Node destroys the connection of a CONNECT, and requests before it would not be answered.
  server.on('connect', ({ socket }) => {
    socket.on('error', () => undefined)
    end(socket, malformed())
  })
  // No request is upgraded: this is where the parser stops on a connection that is to end.
  server.on('upgrade', ({ socket }) => connections.ignore(socket))
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
        setTimeout(connections.destroyAll, closeTimeout).unref()
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
