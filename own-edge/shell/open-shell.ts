/**
 * The HTTP server in front of workerd: that of the farm, with the same limits (docs/security.md). workerd listens on a
 * socket that only this user can open.
 */
import { randomUUID } from 'node:crypto'
import { Agent, type IncomingMessage, request } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { maxEdgeFrame, maxFarmFrame } from '../../bridges/linked/protocol.ts'
import { maxMessageBytes } from '../../handlers/chat/messages.ts'
import { lostAnswer } from '../../handlers/farm-error.ts'
import { Problem, problemOf } from '../../handlers/problem.ts'
import { callerOf, clientAddress, ipAddress } from '../../lib/caller-address.ts'
import { type Clock, sleep } from '../../lib/clock.ts'
import { limitWarnings } from '../../lib/connection-limits.ts'
import { descriptorLimit } from '../../lib/descriptors.ts'
import { errorCode } from '../../lib/error-code.ts'
import { hasSocketKey } from '../../lib/framing.ts'
import { headerPairs } from '../../lib/header-pairs.ts'
import { type HttpFault, httpShell } from '../../lib/http-shell.ts'
import type { Log } from '../../lib/log.ts'
import { RateLimit } from '../../lib/rate-limit.ts'
import { rawMessage } from '../../lib/raw-response.ts'
import { headBytes, maxHeadBytes } from '../../lib/request-size.ts'
import { problemResponse } from '../../runtime/http/answer.ts'
import { sizeProblem } from '../../runtime/http/gate.ts'
import { requestIdOf } from '../../runtime/http/request-id.ts'
import { targetOf } from '../../runtime/http/target.ts'
import { rawProblem } from '../../runtime/node/raw-problem.ts'
import { type JoinedSocket, joinSockets, type SocketLimits } from './join-sockets.ts'
import { answerHeaders, headersFor, passRequest } from './pass-request.ts'

interface ShellOptions {
  readonly listen: { readonly host: string; readonly port: number }
  /** The number of trusted proxies in front. */
  readonly proxies: number
  /** The path of workerd's socket. */
  readonly socketPath: string
  /** Malformed requests of an address in a minute; 0 is unlimited. */
  readonly malformed: number
  /** Whether a path asks for the readiness of this instance, which is not ready for a reason of its own. */
  readonly isUnready?: (path: string) => boolean
  readonly clock: Clock
  readonly log: Log
}

const mebi = 1024 * 1024
/** A burst of a bot's lines, and of a farm's answers, passes at once. */
const limits: Readonly<Record<'client' | 'link', SocketLimits>> = {
  client: {
    maxMessage: maxMessageBytes,
    maxFragments: 128,
    rate: { atOnce: mebi, added: mebi / 4, per: 1000 },
    maxWaiting: mebi,
  },
  link: {
    maxMessage: maxFarmFrame + maxEdgeFrame,
    maxFragments: 128,
    rate: { atOnce: 16 * mebi, added: 4 * mebi, per: 1000 },
    maxWaiting: 4 * mebi,
  },
}

/** Descriptors of anything but clients. Each client takes two more: its own, and that to workerd. */
const otherDescriptors = 256
const maxClients = 50_000
/** Milliseconds for the answer to a handshake. */
const handshakeWithin = 12_000
/** Milliseconds after which an idle connection to workerd ends, before workerd ends it: a write could be on its way. */
const idleWithin = 2000
/** Milliseconds in which clients can answer the close of their WebSockets. */
const closesWithin = 500

const fleetPath = /\/farms(\/[^/?]+)?\/?(\?|$)/

const brokenHandshake = () => new Problem('malformed_request', 'Malformed WebSocket handshake')
const away = () => new Problem('game_unavailable', 'The edge is starting or stopping', { retryAfter: 5 })

/** @throws the error of the system: a port in use, an unknown host */
export async function openShell({
  listen,
  proxies,
  socketPath,
  isUnready,
  clock,
  log,
  ...limited
}: ShellOptions) {
  const { monotonic } = clock
  const shell = httpShell({
    // More than any machine has; the number of connections is the limit.
    maxWebSockets: Number.MAX_SAFE_INTEGER,
    limits: {
      maxConnections: Math.min(maxClients, Math.floor((descriptorLimit() - otherDescriptors) / 2)),
    },
    trustProxy: proxies,
    maxHeaderSize: 4 * maxHeadBytes,
    warn: limitWarnings(log),
    monotonic,
  })
  const agent = new Agent({ keepAlive: true, timeout: idleWithin })
  const malformed = new RateLimit(limited.malformed, monotonic)
  const sockets = new Set<JoinedSocket>()
  let isStopping = false

  const addressOf = ({ socket, headers }: IncomingMessage) =>
    clientAddress(
      ipAddress(socket.remoteAddress ?? '') ?? '',
      proxies,
      headers['x-forwarded-for']?.toString(),
    )

  /** Counts a refused request. */
  const counted = (problem: Problem, address: string): Problem => {
    const wait = malformed.take(callerOf(address))
    if (wait === 0) return problem
    return new Problem('rate_limited', 'Too many malformed requests', { retryAfter: wait })
  }
  const faultProblem = ({ code, sentence }: HttpFault) =>
    code === 'request_timeout' ? new Problem('wait_timeout', '') : new Problem(code, sentence)

  /** Why a request is refused here. @param path with its query @throws {Problem} */
  const check = (incoming: IncomingMessage, path: string) => {
    const { url = '', rawHeaders } = incoming
    const problem = sizeProblem(url.length, headBytes(url, headerPairs(rawHeaders)))
    if (problem !== undefined) throw counted(problem, addressOf(incoming))
    // The instance that takes its place has the farms.
    if (isStopping && /\/ready\/?$/.test(path)) throw away()
    if (isUnready?.(path.split('?')[0] ?? '') === true)
      throw new Problem('game_unavailable', 'Another instance has another EDGE_CLUSTER_KEY', {
        retryAfter: 5,
      })
  }
  const unreachable = (error: unknown, { method = '', url = '' }: Partial<IncomingMessage> = {}) => {
    if (error instanceof Problem) return error
    log.debug({ cause: String(error) }, 'workerd does not answer')
    // A change of the fleet can be repeated, but each POST begins something more.
    const isRead = ['', 'GET', 'HEAD', 'OPTIONS'].includes(method)
    const isRepeatable = isRead || (method !== 'POST' && fleetPath.test(url))
    const wasSent = !['ECONNREFUSED', 'ENOENT'].includes(errorCode(error) ?? '')
    return wasSent && !isRepeatable ? problemOf(lostAnswer('write')) : away()
  }

  /** When connections with keys must make room, those of the key or farm with the most connections close first. */
  const keyOn =
    ({ socket }: IncomingMessage) =>
    (of: string) =>
      shell.connections.hasKey(socket, of)

  async function answer(url: string, { incoming, outgoing }: HttpBindings): Promise<Response> {
    const path = targetOf(url)
    try {
      check(incoming, path)
      const headers = headersFor(incoming, addressOf(incoming), proxies > 0)
      if (/^application\/zip\b/i.test(incoming.headers['content-type'] ?? ''))
        shell.connections.uploads(incoming.socket)
      const over = shell.connections.over(incoming.socket)
      const hasKey = keyOn(incoming)
      await passRequest(incoming, outgoing, { agent, socketPath, path, headers, over, hasKey })
      return RESPONSE_ALREADY_SENT
    } catch (error) {
      return problemResponse(unreachable(error, incoming), requestId(incoming))
    }
  }

  function upgrade(incoming: IncomingMessage, head: Buffer): void {
    const { socket, url: path = '' } = incoming
    const refuse = (problem: Problem) =>
      shell.connections.end(socket, async () => rawProblem(problem, requestId(incoming)))
    try {
      check(incoming, path)
      if (!hasSocketKey(incoming)) throw counted(brokenHandshake(), addressOf(incoming))
      if (isStopping) throw away()
    } catch (error) {
      refuse(unreachable(error))
      return
    }
    const headers = [
      ...headersFor(incoming, addressOf(incoming), proxies > 0),
      ...['Connection', 'Upgrade', 'Upgrade', 'websocket'],
    ]
    const asked = request({ socketPath, path, headers, timeout: handshakeWithin })
    asked.on('timeout', () => asked.destroy(new Error('no answer to a handshake')))
    asked.on('error', (error) => refuse(unreachable(error)))
    socket.on('close', () => asked.destroy())
    asked.on('response', (refusal) => {
      const parts: Buffer[] = []
      refusal.on('data', (part: Buffer) => parts.push(part))
      refusal.on('end', () => {
        const { statusCode = 502, rawHeaders } = refusal
        // The whole body is sent at once.
        const lines = answerHeaders(rawHeaders, keyOn(incoming), new Set(['transfer-encoding']))
        shell.connections.end(socket, async () => rawMessage(statusCode, lines, Buffer.concat(parts)))
      })
    })
    asked.on('upgrade', ({ rawHeaders }, worker, first) => {
      const lines = answerHeaders(rawHeaders, keyOn(incoming)).map(([name, value]) => `${name}: ${value}`)
      socket.write(['HTTP/1.1 101 Switching Protocols', ...lines, '', ''].join('\r\n'), 'latin1')
      const target = path.split('?')[0] ?? ''
      const kind = target.endsWith('/link') ? 'link' : 'client'
      const isIn = () => keyOn(incoming)(target)
      const joined = joinSockets(socket, worker, limits[kind], clock, isIn)
      if (kind === 'link') isIn()
      sockets.add(joined)
      void joined.closed.then(() => sockets.delete(joined))
      if (first.length > 0) worker.unshift(first)
      if (head.length > 0) socket.unshift(head)
      socket.resume()
    })
    asked.end()
  }

  const { port } = await shell.serve(
    {
      fetch: ({ url }, env) => answer(url, env as HttpBindings),
      isRefused: () => false,
      malformed: (fault, address) => problemResponse(counted(faultProblem(fault), address), randomUUID()),
      lastBytes(fault, address) {
        const problem = counted(faultProblem(fault), address)
        return async () => rawProblem(problem)
      },
      upgrade,
    },
    listen,
  )
  return {
    port,
    /** Closes all WebSockets with 1012. @returns when their peers have answered, or could have */
    async restart() {
      isStopping = true
      for (const joined of sockets) joined.restart()
      const closed = Promise.all([...sockets].map((joined) => joined.closed))
      await Promise.race([closed, sleep(clock, closesWithin)])
    },
    /** Call this when workerd has ended. */
    close: () => shell.close(0),
  }
}

const requestId = ({ headers }: IncomingMessage): string =>
  requestIdOf(headers['x-request-id']?.toString()) ?? randomUUID()
