/**
 * The WebSockets that clients and farms have opened at this instance of a cluster. The object at their other end may be
 * of another instance. Their messages pass through here, because workerd drops the sockets of an instance that ends, and
 * those that lead to it, without a close frame.
 */
import { linkCloseCodes } from '../../bridges/linked/protocol.ts'

const reason = 'The edge is restarting'
/** What the object gets for a peer that was lost: no close frame may carry the code of that (1006). */
const lost = 4006

export class EnteredSockets {
  /** Each ends one socket, from any request. */
  readonly #ends = new Set<() => void>()
  #isStopping = false

  /** Whether `stop` was called: no further socket may be opened here. */
  get isStopping(): boolean {
    return this.#isStopping
  }

  /** @param answer of an object; one to a handshake opens a socket */
  pass(answer: Response): Response {
    const object = answer.webSocket
    if (object === null) return answer
    const { 0: outside, 1: peer } = new WebSocketPair()
    // Another request may not use the sockets of this one, but can settle its promise.
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    void ended.then(() => {
      closeRestarting(peer)
      closeRestarting(object)
    })
    this.#ends.add(end)
    join(object, peer, (code, said) => (code === 1006 ? closeRestarting(peer) : close(peer, code, said)))
    join(peer, object, (code, said) => {
      this.#ends.delete(end)
      close(object, code === 1006 ? lost : code, said)
    })
    // The object was asked before `stop`.
    if (this.#isStopping) end()
    return new Response(null, { status: 101, headers: answer.headers, webSocket: outside })
  }

  /** The number of sockets whose peers have not closed them. */
  get size(): number {
    return this.#ends.size
  }

  /** Closes all sockets with 1012. */
  stop(): void {
    this.#isStopping = true
    for (const end of this.#ends) end()
  }
}

/** Passes on the messages of a socket. @param closed called once */
function join(from: WebSocket, to: WebSocket, closed: (code: number, reason: string) => void): void {
  from.binaryType = 'arraybuffer'
  from.addEventListener('message', ({ data }) => {
    if (to.readyState === WebSocket.OPEN) to.send(data)
  })
  from.addEventListener('close', ({ code, reason }) => closed(code, reason))
  from.addEventListener('error', () => closed(1006, ''))
  from.accept()
}

export const closeRestarting = (socket: WebSocket): void => close(socket, linkCloseCodes.restarting, reason)

function close(socket: WebSocket, code: number, reason: string): void {
  if (socket.readyState !== WebSocket.OPEN) return
  if (code === 1005) socket.close()
  else socket.close(code, reason)
}
