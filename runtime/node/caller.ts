import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { isNamed, type KeyHolder } from '../../handlers/key-holder.ts'
import { clientAddress } from '../../lib/caller-address.ts'
import type { Connections } from '../../lib/connections.ts'
import { headerLineBytes, requestLineBytes } from '../../lib/request-size.ts'
import type { Caller } from '../http/caller.ts'

type Told = Pick<Connections, 'hasKey' | 'uploads' | 'active' | 'over' | 'cut'>

class NodeCaller implements Caller {
  readonly #incoming: IncomingMessage
  readonly #outgoing: ServerResponse
  readonly #connections: Told
  readonly address: string
  readonly headBytes: number
  readonly manyKeys: boolean

  constructor({ incoming, outgoing }: HttpBindings, address: string, connections: Told) {
    this.#incoming = incoming
    this.#outgoing = outgoing
    this.#connections = connections
    this.address = address
    let bytes = requestLineBytes + (incoming.url?.length ?? 0)
    let keys = 0
    const { rawHeaders } = incoming
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const name = rawHeaders[at] ?? ''
      bytes += name.length + (rawHeaders[at + 1]?.length ?? 0) + headerLineBytes
      if (name.length === 13 && name.toLowerCase() === 'authorization') keys += 1
    }
    this.headBytes = bytes
    this.manyKeys = keys > 1
  }

  header(name: string): string | undefined {
    const value = this.#incoming.headers[name]
    return typeof value === 'string' ? value : value?.join(', ')
  }

  get over(): AbortSignal {
    return this.#connections.over(this.#incoming.socket)
  }

  hasKey(holder: KeyHolder): void {
    this.#connections.hasKey(this.#incoming.socket, isNamed(holder) ? holder.id : undefined)
  }

  uploads(): void {
    this.#connections.uploads(this.#incoming.socket)
  }

  active(): void {
    this.#connections.active(this.#incoming.socket)
  }

  farOver(): void {
    // Makes Node send `Connection: close` with the answer.
    if (this.#connections.cut(this.#incoming.socket)) this.#outgoing.shouldKeepAlive = false
  }

  breakOff(): void {
    // A reset, because an HTTP/1.0 client takes an ordinary end of the connection for the end of the answer.
    this.#incoming.socket.resetAndDestroy()
  }
}

/**
 * @param proxies the number of trusted proxies in front (`TRUST_PROXY`): the client's address is the one that the
 * outermost of them saw, or the peer's own when `X-Forwarded-For` names fewer, or no address there
 */
export const nodeCaller =
  (proxies: number, connections: Told) =>
  (_request: Request, bindings: HttpBindings): Caller =>
    new NodeCaller(bindings, addressOf(bindings.incoming, proxies), connections)

function addressOf({ socket, headers }: IncomingMessage, proxies: number): string {
  const forwarded = headers['x-forwarded-for']
  return clientAddress(socket.remoteAddress ?? '', proxies, forwarded?.toString())
}
