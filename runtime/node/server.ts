/** The control API on a Node HTTP server. */
import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { HttpBindings } from '@hono/node-server'
import { type FarmChat, farmChat } from '../../handlers/chat/farm-chat.ts'
import { ChatHistory } from '../../handlers/chat/history.ts'
import { maxMessageBytes } from '../../handlers/chat/messages.ts'
import type { FarmPorts } from '../../handlers/endpoint.ts'
import { endpoints } from '../../handlers/endpoints/all-endpoints.ts'
import { Problem } from '../../handlers/problem.ts'
import { type ConnectionLimits, limitWarnings } from '../../lib/connection-limits.ts'
import { type HttpFault, httpShell, type ListenAt } from '../../lib/http-shell.ts'
import type { ServerKeys } from '../../lib/key-ring.ts'
import { type ApiParts, createApi } from '../api.ts'
import { problemResponse } from '../http/answer.ts'
import { originRules } from '../http/cors.ts'
import { measureClients } from '../http/metrics.ts'
import { createRouter } from '../router.ts'
import { nodeCaller } from './caller.ts'
import { Chat } from './chat.ts'
import { queueBytes } from './chat-client.ts'
import { farOverAddresses } from './early-refusal.ts'
import { FanOut } from './fan-out.ts'
import { rawProblem } from './raw-problem.ts'
import { createWebSockets } from './websocket.ts'

type OfApi =
  | 'rates'
  | 'publicInviteCodes'
  | 'publicBadge'
  | 'refusalsAs200'
  | 'discord'
  | 'setup'
  | 'basePath'
  | 'pages'
  | 'log'

export interface ServerOptions extends Pick<ApiParts, OfApi> {
  readonly farm: FarmPorts
  readonly keys: ServerKeys
  readonly allowedOrigins: readonly string[]
  /** The address of the page where people sign in; undefined where they cannot. */
  readonly publicUrl?: string | undefined
  readonly trustProxy: number
  readonly maxClients: number
  /** The events of the game; chat lines are numbered in memory unless given. */
  readonly chat?: Omit<FarmChat, 'close'>
  /** Limits on connections, where they differ from `usualLimits`. */
  readonly connections?: Partial<ConnectionLimits>
}

export type RunningServer = Awaited<ReturnType<typeof startServer>>

/** Bytes of request line and headers. The router's own limit is lower, so that the router answers requests beyond it. */
const maxHeaderSize = 64 * 1024

export async function startServer(options: ServerOptions, listen: ListenAt) {
  const { keys, log, basePath } = options
  const { game } = options.farm
  const monotonic = () => performance.now()
  const shell = httpShell({
    maxWebSockets: options.maxClients,
    limits: options.connections,
    trustProxy: options.trustProxy,
    maxHeaderSize,
    warn: limitWarnings(log),
    monotonic,
  })
  const { connections } = shell
  const stopping = new AbortController()
  // Each pending long poll adds a listener.
  setMaxListeners(0, stopping.signal)
  const api = createApi({
    ...options,
    endpoints,
    origins: originRules(options.allowedOrigins, keys.required),
    page: { origin: () => options.publicUrl && new URL(options.publicUrl).origin, cookie: 'farmgate' },
    ageOnRefusals: true,
    stopping: stopping.signal,
    // The chat subscribes to the game as long as the server runs, so this listener makes no further calls to it.
    hear: (listener) => stopping.signal.addEventListener('abort', game.subscribe(listener)),
    now: Date.now,
    monotonic,
    newRequestId: randomUUID,
  })
  const { metrics, streams, gate, refusalLines } = api
  const fanOut = new FanOut({ monotonic, queueBytes })
  measureClients(metrics.registry, () => fanOut.size)
  const chat = new Chat({
    ...api,
    game,
    host: options.farm.host,
    chat: options.chat ?? farmChat(game, new ChatHistory(Date.now() * 1000)),
    fanOut,
    keys,
    maxClients: options.maxClients,
  })
  /** Counts what the router does not see. @returns makes the last bytes of its connection */
  const refusal = (problem: Problem, address: string) => {
    const counted = gate.malformed(address, problem)
    return async () => rawProblem(counted)
  }
  const sockets = createWebSockets(chat, connections.end, refusal, { maxPayload: maxMessageBytes })
  // A proxy's connection carries requests of others too.
  const isProxied = options.trustProxy > 0
  const app = createRouter<HttpBindings>(api, {
    caller: nodeCaller(options.trustProxy, isProxied ? { ...connections, cut: () => false } : connections),
    upgrade: sockets.upgrade,
  })
  const farOver = farOverAddresses({ ...api, connections, isProxied })
  const serving = shell.serve(
    {
      fetch: app.fetch,
      isRefused: farOver.isRefused,
      malformed(fault, address, cause) {
        log.debug({ cause: String(cause) }, 'malformed request')
        return problemResponse(gate.malformed(address, faultProblem(fault)), randomUUID())
      },
      lastBytes: (fault, address) => refusal(faultProblem(fault), address),
      upgrade: (incoming, head) => sockets.handshake(app.request, incoming, head),
    },
    listen,
  )
  const { port, ...at } = await serving.catch((error: unknown) => {
    stopping.abort()
    chat.close()
    throw error
  })
  const everyMinute = setInterval(() => {
    refusalLines.flush()
    farOver.flush()
  }, 60_000)
  everyMinute.unref()
  return {
    /** `http://host:port`, as a client on this machine would use it. */
    url: `http://${hostOf(at)}:${port}${basePath}`,
    port,
    metrics,
    streams,
    /** Stops listening, closes sockets with 1001, ends long polls, lets other requests finish; at most `within` milliseconds. */
    async stop(within: number) {
      const closed = shell.close(within)
      stopping.abort()
      chat.close()
      await closed
      clearInterval(everyMinute)
      refusalLines.flush(true)
      farOver.flush(true)
    },
  }
}

/** A 408 has no body, so its sentence is never seen. */
const faultProblem = ({ code, sentence }: HttpFault): Problem =>
  code === 'request_timeout' ? new Problem('wait_timeout', '') : new Problem(code, sentence)

/** The host of a URL at which a client on this machine reaches an address. */
function hostOf({ address }: Pick<AddressInfo, 'address'>): string {
  const isEverywhere = address === '::' || address === '0.0.0.0'
  return isEverywhere ? 'localhost' : address.includes(':') ? `[${address}]` : address
}
