/** Bounds on the connections of an HTTP server, and the orderly end of those that are refused (docs/security.md). */
import { setMaxListeners } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { callerOf } from '../http/rate-limit.ts'
import type { Log } from '../log.ts'

export interface ConnectionLimits {
  /** Connections at once. */
  readonly most: number
  /** Connections at once from one address that have not shown the key. */
  readonly mostWithoutKey: number
  /** Milliseconds that bytes may wait for a peer that takes none of them. */
  readonly writeTimeout: number
  /** Milliseconds in which a peer can read the last answer before its connection is cut. */
  readonly linger: number
  /** Milliseconds in which the line and headers of a request must come. */
  readonly headersTimeout: number
}

/** All but how many there may be in all, which is the operator's choice. */
export const usualLimits = {
  mostWithoutKey: 512,
  writeTimeout: 15_000,
  linger: 1000,
  headersTimeout: 10_000,
} satisfies Partial<ConnectionLimits>

/**
 * Whether a peer's address is its client's own: behind a proxy it is the proxy's, and on loopback a proxy or
 * tunnel may stand that nobody told of.
 * @param trustProxy how many proxies are in front
 */
export const isClientsOwn =
  (trustProxy: number) =>
  (address: string): boolean =>
    trustProxy === 0 && address !== '::1' && !/^(::ffff:)?127\./.test(address)

export interface ConnectionOptions {
  readonly limits: ConnectionLimits
  /** Of which addresses the connections are counted. */
  readonly isCounted: (address: string) => boolean
  readonly log: Log
  readonly monotonic: () => number
}

export interface Connections {
  /** Counts a request as under way until it is answered. @returns false where its connection is to end: it is not served */
  begin(incoming: IncomingMessage, outgoing: ServerResponse): boolean
  /** Requests of this connection are under way. */
  isBusy(socket: Socket): boolean
  /** Whoever is there has shown the key: this connection makes no room for others. */
  hasKey(socket: Socket): void
  /**
   * Ends a connection: no further request of it is served, those under way are answered, then come the last
   * bytes, and the peer has a moment to read them.
   * @param last is not sent where what ended the connection belongs to a request that was served
   */
  end(socket: Socket, last: () => Promise<Buffer>): void
  /** Aborted when the connection is lost or is to end: what its requests wait for is of no use any more. */
  over(socket: Socket): AbortSignal
  /** Cuts all of them. */
  destroyAll(): void
}

interface Connection {
  readonly address: string
  /** Requests that are not answered yet. */
  underWay: number
  /** The request that came last of those that are served. */
  newest?: IncomingMessage
  hasKey: boolean
  /** Set once it is to end: what is left to do after its answers. */
  finish?: () => void
  /** Made when somebody asks for its signal. */
  over?: AbortController
}

const logEvery = 60_000
/** For a connection that ends behind its last answer. */
export const noBytes = async () => Buffer.alloc(0)

export function watchConnections(
  server: Server,
  { limits, isCounted, log, monotonic }: ConnectionOptions,
): Connections {
  const connections = new Map<Socket, Connection>()
  /** Those without the key, the one whose last request is longest ago first. */
  const strangers = new Set<Socket>()
  /** How many of them are from one address. */
  const perAddress = new Map<string, number>()

  const noStranger = (socket: Socket, address: string) => {
    if (!strangers.delete(socket)) return
    const left = (perAddress.get(address) ?? 1) - 1
    if (left === 0) perAddress.delete(address)
    else perAddress.set(address, left)
  }

  const forget = (socket: Socket) => {
    const connection = connections.get(socket)
    if (connection === undefined) return
    connections.delete(socket)
    connection.over?.abort()
    noStranger(socket, connection.address)
  }

  /** Cuts one of those without the key: the quietest, one with a request under way only if all have one. */
  const makeRoom = (address?: string): boolean => {
    let chosen: Socket | undefined
    for (const socket of strangers) {
      const connection = connections.get(socket)
      if (address !== undefined && connection?.address !== address) continue
      chosen ??= socket
      if (connection?.underWay !== 0) continue
      chosen = socket
      break
    }
    if (chosen === undefined) return false
    chosen.destroy()
    forget(chosen)
    return true
  }

  const tell = boundTeller(log, monotonic)

  server.on('connection', (socket: Socket) => {
    const peer = socket.remoteAddress ?? ''
    const address = isCounted(peer) ? callerOf(peer) : ''
    if (address !== '' && (perAddress.get(address) ?? 0) >= limits.mostWithoutKey) {
      tell.ofOneAddress({ limit: limits.mostWithoutKey, address })
      makeRoom(address)
    } else if (connections.size >= limits.most) {
      tell.inAll({ limit: limits.most })
      if (!makeRoom()) {
        socket.destroy()
        return
      }
    }
    connections.set(socket, { address, underWay: 0, hasKey: false })
    strangers.add(socket)
    perAddress.set(address, (perAddress.get(address) ?? 0) + 1)
    socket.on('close', () => forget(socket))
  })

  // Node starts this anew with each byte that is taken or comes; who is merely quiet waits for an answer.
  server.setTimeout(limits.writeTimeout, (socket) => {
    if (socket.writableLength > 0 || connections.get(socket)?.underWay === 0) socket.destroy()
  })

  const cut = async (socket: Socket, last: () => Promise<Buffer>) => {
    const overdue = setTimeout(() => socket.destroy(), limits.writeTimeout)
    socket.once('close', () => clearTimeout(overdue))
    // What still comes is read and dropped: bytes left unread would make the close a reset that can undo the answer.
    socket.resume()
    const bytes = await last()
    // Node ends it by itself behind an answer with `Connection: close`.
    if (!socket.writable) return
    socket.end(bytes, () => {
      const lingering = setTimeout(() => socket.destroy(), limits.linger)
      socket.once('close', () => clearTimeout(lingering))
    })
  }

  /** One function for all answers, because each request adds it. */
  function answered(this: ServerResponse): void {
    const connection = connections.get(this.req.socket)
    if (connection === undefined) return
    connection.underWay -= 1
    if (connection.underWay === 0) connection.finish?.()
  }

  return {
    begin(incoming, outgoing) {
      const { socket } = incoming
      const connection = connections.get(socket)
      if (connection === undefined || connection.finish !== undefined) return false
      connection.underWay += 1
      connection.newest = incoming
      if (!connection.hasKey) {
        strangers.delete(socket)
        strangers.add(socket)
      }
      outgoing.on('close', answered)
      return true
    },
    isBusy: (socket) => (connections.get(socket)?.underWay ?? 0) > 0,
    hasKey(socket) {
      const connection = connections.get(socket)
      if (connection === undefined || connection.hasKey) return
      connection.hasKey = true
      noStranger(socket, connection.address)
    },
    end(socket, last) {
      const connection = connections.get(socket)
      if (connection === undefined) socket.destroy()
      // It is told already. Whoever goes on sending and takes no answers gets none.
      else if (connection.finish !== undefined && socket.writableLength > 0) socket.destroy()
      if (connection === undefined || connection.finish !== undefined) return
      const isServed = connection.newest?.complete === false
      connection.finish = () => void cut(socket, isServed ? noBytes : last)
      connection.over?.abort()
      if (connection.underWay === 0) connection.finish()
    },
    over(socket) {
      const connection = connections.get(socket)
      if (connection === undefined || connection.finish !== undefined) return AbortSignal.abort()
      if (connection.over === undefined) {
        connection.over = new AbortController()
        // One for each request that waits; pipelined ones wait side by side.
        setMaxListeners(0, connection.over.signal)
      }
      return connection.over.signal
    },
    destroyAll() {
      for (const socket of connections.keys()) socket.destroy()
    },
  }
}

/** Tells that a bound is reached, each at most once a minute. */
function boundTeller(log: Log, monotonic: () => number) {
  const atMostOnceAMinute = (write: (bound: object) => void) => {
    let toldAt = Number.NEGATIVE_INFINITY
    return (bound: object) => {
      if (monotonic() - toldAt < logEvery) return
      toldAt = monotonic()
      write(bound)
    }
  }
  return {
    inAll: atMostOnceAMinute((bound) =>
      log.warn(bound, 'too many connections: the quietest without the key make room'),
    ),
    ofOneAddress: atMostOnceAMinute((bound) =>
      log.warn(bound, 'too many connections of one address: its quietest without the key make room'),
    ),
  }
}
