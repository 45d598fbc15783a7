/**
 * WebSocket handshakes with `@hono/node-ws`, without its own listener for upgrades. That package is deprecated and has
 * these faults, each of which has a test: a request target that does not parse causes an unhandled rejection, which
 * ends the process; errors of the socket have no listener while the handshake is pending; a bad handshake leaks an
 * entry in memory; messages of 100 MiB are accepted; the body of a refusal is lost. The listener here checks each
 * handshake first, and calls the package's upgrade helper only for those that can succeed.
 */
import type { IncomingMessage } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { createNodeWebSocket } from '@hono/node-ws'
import { type Context, Hono } from 'hono'
import { WebSocket } from 'ws'
import type { KeyHolder } from '../../handlers/key-holder.ts'
import { Problem, problemFrom } from '../../handlers/problem.ts'
import type { Connections } from '../../lib/connections.ts'
import { hasSocketKey } from '../../lib/framing.ts'
import { headerPairs } from '../../lib/header-pairs.ts'
import { rawResponse } from '../../lib/raw-response.ts'
import type { Caller } from '../http/caller.ts'
import { protocolFor } from '../http/session-cookies.ts'
import type { Chat } from './chat.ts'

/** Answers a request, as an app of Hono does. */
type Ask = Hono<{ Bindings: HttpBindings }>['request']

export interface WebSocketOptions {
  /** Maximum of bytes in a message; a longer one closes the connection with 1009. */
  readonly maxPayload: number
  /** Milliseconds from the request to the end of the handshake. */
  readonly handshakeTimeout?: number
}

/** Options of `ws` 8.21 that its types lack. */
const fragmentLimits = { maxFragments: 128, maxBufferedChunks: 1024 }

/** @param refusal makes the last bytes of a connection whose handshake is refused */
export function createWebSockets(
  chat: Chat,
  end: Connections['end'],
  refusal: (problem: Problem, address: string) => () => Promise<Buffer>,
  { maxPayload, handshakeTimeout = 5000 }: WebSocketOptions,
) {
  // Only its own listener for upgrades would need the app.
  const { wss, upgradeWebSocket } = createNodeWebSocket({ app: new Hono() })
  Object.assign(wss.options, {
    maxPayload,
    clientTracking: false,
    closeTimeout: 10_000,
    autoPong: false,
    ...fragmentLimits,
  })
  /** Requests from Node's `upgrade` event, whose socket can be upgraded; others with an `Upgrade` header cannot. */
  const offered = new WeakSet<IncomingMessage>()
  /** Handshakes that the router accepted and whose connection the library waits for. */
  const accepted = new WeakSet<IncomingMessage>()
  /** Their request ids. */
  const ids = new WeakMap<IncomingMessage, string>()
  const protocols = new WeakMap<IncomingMessage, string>()
  wss.on('headers', (headers, request) => {
    headers.push(`X-Request-Id: ${ids.get(request) ?? ''}`)
    const protocol = protocols.get(request)
    if (protocol !== undefined) headers.push(`Sec-WebSocket-Protocol: ${protocol}`)
  })

  async function answer(ask: Ask, request: IncomingMessage, head: Buffer): Promise<void> {
    const { socket } = request
    offered.add(request)
    // The router handles the handshake as a GET. Its answer is sent only if it did not accept the handshake.
    const response = await ask(
      `http://localhost${request.url}`,
      { headers: headersOf(request) },
      { incoming: request, outgoing: undefined },
    )
    if (!accepted.has(request)) {
      end(socket, () => rawResponse(response))
      return
    }
    ids.set(request, response.headers.get('X-Request-Id') ?? '')
    let opened = false
    wss.handleUpgrade(request, socket, head, (ws) => {
      opened = true
      wss.emit('connection', ws, request)
    })
    // If the peer has disconnected, `handleUpgrade` opens nothing. The library gets a socket that was never open, so
    // that it stops waiting.
    if (!opened) wss.emit('connection', neverOpen(), request)
  }

  return {
    /** The router's way to accept a handshake. @throws {Problem} malformed_request, too_many_clients, rate_limited */
    async upgrade(
      c: Context<{ Bindings: HttpBindings }>,
      caller: Caller,
      session: KeyHolder | undefined,
    ): Promise<Response> {
      const { incoming } = c.env
      if (!offered.has(incoming))
        throw new Problem(
          'upgrade_required',
          'Open this path as a WebSocket: with Connection: Upgrade, and behind no request that waits for its answer',
        )
      if (!hasSocketKey(incoming)) throw new Problem('malformed_request', 'Malformed WebSocket handshake')
      const protocol = protocolFor(caller)
      if (protocol !== undefined) protocols.set(incoming, protocol)
      // `ws` would refuse a malformed header after the handshake was accepted.
      delete incoming.headers['sec-websocket-protocol']
      chat.admit(caller)
      accepted.add(incoming)
      const open = upgradeWebSocket((context) => chat.events(context, caller, session), { onError: ignore })
      const response = await open(c, next)
      return response ?? new Response()
    },
    /** Handles a handshake. @param ask asks the router */
    handshake(ask: Ask, request: IncomingMessage, head: Buffer): void {
      const { socket } = request
      const timer = setTimeout(() => socket.destroy(), handshakeTimeout)
      answer(ask, request, head)
        .catch((error: unknown) => end(socket, refusal(problemFrom(error), socket.remoteAddress ?? '')))
        .finally(() => clearTimeout(timer))
    },
  }
}

/** A socket made as `ws` itself makes those of a server. Its types do not allow these arguments. */
const neverOpen = (): WebSocket => Reflect.construct(WebSocket, [null, undefined, {}])

const ignore = () => undefined
const next = () => Promise.resolve()

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (const [name, value] of headerPairs(rawHeaders)) headers.append(name, value)
  return headers
}
