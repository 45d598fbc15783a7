/**
 * `@hono/node-ws`, made safe. Upstream calls it deprecated and leaves these holes, each of which has a test:
 * an upgrade whose target does not parse rejects unhandled and ends the process; nobody listens for errors of
 * the socket while the handshake is pending; a bad handshake leaks a waiter; messages of 100 MiB are taken;
 * the body of a refusal is lost. So the listener on the server is our own, and the library's upgrade helper
 * only ever sees requests that can succeed.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { HttpBindings } from '@hono/node-server'
import { createNodeWebSocket } from '@hono/node-ws'
import type { Context, Hono } from 'hono'
import { WebSocket } from 'ws'
import { Problem } from '../../handlers/problem.ts'
import { problemResponse } from '../http/answer.ts'
import type { Caller } from '../http/caller.ts'
import { problemFrom } from '../http/failure.ts'
import type { Chat } from './chat.ts'
import type { Connections } from './connections.ts'
import { hasOneHost } from './host-header.ts'
import { rawResponse } from './raw-response.ts'

type App = Hono<{ Bindings: HttpBindings }>

export interface WebSocketOptions {
  /** Largest message in bytes; a longer one closes 1009. */
  readonly maxPayload: number
  /** Milliseconds from the request to the end of the handshake. */
  readonly handshakeTimeout?: number
}

/** What `ws` 8.21 takes and its types do not know yet. */
const fragmentLimits = { maxFragments: 128, maxBufferedChunks: 1024 }

export function createWebSockets(
  app: App,
  chat: Chat,
  connections: Pick<Connections, 'end'>,
  { maxPayload, handshakeTimeout = 5000 }: WebSocketOptions,
) {
  const { wss, upgradeWebSocket } = createNodeWebSocket({ app })
  Object.assign(wss.options, { maxPayload, clientTracking: false, closeTimeout: 10_000, ...fragmentLimits })
  /** Requests that are on a bare socket: any other that names the protocol cannot be switched to it. */
  const offered = new WeakSet<IncomingMessage>()
  /** Handshakes that the router accepted and the library waits for. */
  const accepted = new WeakSet<IncomingMessage>()
  /** Their request ids. */
  const ids = new WeakMap<IncomingMessage, string>()
  wss.on('headers', (headers, request) => {
    headers.push(`X-Request-Id: ${ids.get(request) ?? ''}`)
  })

  async function answer(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const url = targetUrl(request)
    if (url === undefined) throw malformed('The request target is not a path')
    if (!hasOneHost(request)) throw malformed('A handshake needs a Host header, and only one')
    offered.add(request)
    // The router sees the handshake as a GET; what it answers is either an upgrade or the refusal to send.
    const response = await app.request(
      url,
      { headers: headersOf(request) },
      { incoming: request, outgoing: undefined },
    )
    if (!accepted.has(request)) {
      connections.end(socket, () => rawResponse(response))
      return
    }
    ids.set(request, response.headers.get('X-Request-Id') ?? '')
    let opened = false
    wss.handleUpgrade(request, socket, head, (ws) => {
      opened = true
      wss.emit('connection', ws, request)
    })
    // The peer may be gone by now: a socket that was never open ends the library's wait.
    if (!opened) wss.emit('connection', neverOpen(), request)
  }

  return {
    /** The router's way to accept a handshake. @throws {Problem} malformed_request, too_many_clients, rate_limited */
    async upgrade(c: Context<{ Bindings: HttpBindings }>, caller: Caller): Promise<Response> {
      const { incoming } = c.env
      if (!offered.has(incoming))
        throw new Problem(
          'upgrade_required',
          'Open this path as a WebSocket: with Connection: Upgrade, and behind no request that waits for its answer',
        )
      const { 'sec-websocket-key': key, 'sec-websocket-version': version } = incoming.headers
      if (!/^[+/0-9A-Za-z]{22}==$/.test(key ?? '') || (version !== '13' && version !== '8'))
        throw malformed('Malformed WebSocket handshake')
      // No subprotocol is spoken, and a malformed offer would make the library refuse after it was accepted.
      delete incoming.headers['sec-websocket-protocol']
      chat.admit(caller)
      accepted.add(incoming)
      const response = await upgradeWebSocket((context) => chat.events(context, caller), { onError: ignore })(
        c,
        next,
      )
      return response ?? new Response()
    },
    /** Answers upgrades on a server. */
    listen(server: Server): void {
      server.on('upgrade', (request: IncomingMessage, _socket: Duplex, head: Buffer) => {
        const { socket } = request
        socket.on('error', ignore)
        const timer = setTimeout(() => socket.destroy(), handshakeTimeout)
        answer(request, socket, head)
          .catch((error: unknown) => connections.end(socket, () => refusal(error)))
          .finally(() => clearTimeout(timer))
      })
    },
  }
}

/** As `ws` makes its own server sockets; its types know only a null without options, which throws. */
const neverOpen = (): WebSocket => Reflect.construct(WebSocket, [null, undefined, {}])

const ignore = () => undefined
const next = () => Promise.resolve()
const malformed = (sentence: string) => new Problem('malformed_request', sentence)

const refusal = (error: unknown) => rawResponse(problemResponse(problemFrom(error), randomUUID()))

/** The URL of an upgrade; undefined when its target is no path (`//`, `/\`, absolute or garbage). */
function targetUrl({ url = '' }: IncomingMessage): string | undefined {
  return /^\/(?![/\\])[^\\#\s]*$/.test(url) ? `http://localhost${url}` : undefined
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  return headers
}
