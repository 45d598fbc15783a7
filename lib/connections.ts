/** The connections of an HTTP server: which ones make room for others, and how they end (docs/security.md). */
import { setMaxListeners } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from './clock.ts'
import type { ConnectionLimits } from './connection-limits.ts'
import { dropInput } from './drop-input.ts'
import { groupedConnections } from './grouped-connections.ts'
import { onceAMinute } from './once-a-minute.ts'

/** Log lines about reached limits; each is called at most once a minute. */
interface LimitWarnings {
  ofAll(reached: { readonly limit: number }): void
  ofOneAddress(reached: { readonly limit: number; readonly address: string }): void
}

export interface ConnectionOptions extends Pick<Clock, 'monotonic'> {
  readonly limits: ConnectionLimits
  /** The group of a peer's address for `maxWithoutKey`; undefined where that limit does not apply. */
  readonly countedAs: (address: string) => string | undefined
  readonly warn: LimitWarnings
}

export type Connections = ReturnType<typeof watchConnections>

interface Connection {
  /** Requests without an answer yet. */
  underWay: number
  /** The newest served request. */
  newest?: IncomingMessage
  /** Serve the requests that wait for earlier answers. */
  waiting?: (() => void)[]
  hasKey: boolean
  isUploading?: boolean
  /** It had a key that is not a named one. */
  isSafe?: true
  /** Set when the connection must end; called after the last answer. */
  finish?: () => void
  /** Made by the first call of `over`. */
  over?: AbortController
}

/**
 * Maximum of connections without a key for which those of named keys make room. Without it, one named key that holds
 * all connections would lock the operator out.
 */
const reservedForNew = 32

/** The `finish` of a connection that has ended. */
const nothing = () => undefined
/** The last bytes of a connection that ends right after its last answer. */
export const noBytes = async () => Buffer.alloc(0)

export function watchConnections({ limits, countedAs, warn, monotonic }: ConnectionOptions) {
  const connections = new Map<Socket, Connection>()
  const isBusy = (socket: Socket) => connections.get(socket)?.underWay !== 0
  /** By address. */
  const withoutKey = groupedConnections(isBusy)
  /** By the id of the key. */
  const ofNamedKeys = groupedConnections(isBusy)
  const reserved = Math.min(reservedForNew, Math.ceil(limits.maxConnections / 8))

  const forget = (socket: Socket) => {
    const connection = connections.get(socket)
    if (connection === undefined) return
    connections.delete(socket)
    connection.over?.abort()
    withoutKey.remove(socket)
    ofNamedKeys.remove(socket)
  }

  /** The connection to destroy when there are too many in all. */
  const leastWanted = (): Socket | undefined => {
    const ofLargest = () => ofNamedKeys.quietest(ofNamedKeys.largest())
    return withoutKey.size < reserved ? (ofLargest() ?? withoutKey.quietest()) : withoutKey.quietest()
  }

  /**
   * Destroys a connection.
   * @param chosen the least recently used one; one with a pending request only if all have one
   * @returns false when there is none
   */
  const makeRoom = (chosen: Socket | undefined): boolean => {
    if (chosen === undefined) return false
    chosen.destroy()
    forget(chosen)
    return true
  }

  const asked = (socket: Socket) => {
    withoutKey.asked(socket)
    ofNamedKeys.asked(socket)
  }

  const warnOfAll = onceAMinute(warn.ofAll, monotonic)
  const warnOfOneAddress = onceAMinute(warn.ofOneAddress, monotonic)

  const accept = (socket: Socket) => {
    const address = countedAs(socket.remoteAddress ?? '') ?? ''
    if (address !== '' && withoutKey.countOf(address) >= limits.maxWithoutKey) {
      warnOfOneAddress({ limit: limits.maxWithoutKey, address })
      makeRoom(withoutKey.quietest(address))
    } else if (connections.size >= limits.maxConnections) {
      warnOfAll({ limit: limits.maxConnections })
      if (!makeRoom(leastWanted())) {
        socket.destroy()
        return
      }
    }
    connections.set(socket, { underWay: 0, hasKey: false })
    withoutKey.add(socket, address)
    socket.on('close', () => forget(socket))
  }

  // Node restarts this timeout with each byte that is sent or received. A connection without waiting bytes and with a
  // pending request stays open: its client waits for the answer.
  const isIdle = (socket: Socket) => {
    if (socket.writableLength > 0 || connections.get(socket)?.underWay === 0) socket.destroy()
  }

  const finishWith = async (socket: Socket, last: () => Promise<Buffer>) => {
    const overdue = setTimeout(() => socket.destroy(), limits.writeTimeout)
    socket.once('close', () => clearTimeout(overdue))
    const bytes = await last()
    // After an answer with `Connection: close`, Node has ended the connection already.
    if (!socket.writable) return
    socket.end(bytes, () => {
      const lingering = setTimeout(() => socket.destroy(), limits.linger)
      socket.once('close', () => clearTimeout(lingering))
    })
  }

  /** Called at the end of an answer. One function for all answers, because each request adds it as a listener. */
  function answered(this: ServerResponse): void {
    const connection = connections.get(this.req.socket)
    if (connection === undefined) return
    connection.underWay -= 1
    connection.isUploading = false
    if (connection.underWay === 0) connection.finish?.()
    else setImmediate(serveNext, connection)
  }

  const serveNext = ({ waiting }: Connection) => waiting?.shift()?.()

  const end = (socket: Socket, last: () => Promise<Buffer>) => {
    const connection = connections.get(socket)
    if (connection === undefined) socket.destroy()
    // The connection must end already. A peer that keeps sending and reads no answers gets no more.
    else if (connection.finish !== undefined && socket.writableLength > 0) socket.destroy()
    if (connection === undefined || connection.finish !== undefined) return
    const isServed = connection.newest?.complete === false
    dropInput(socket)
    connection.finish = () => void finishWith(socket, isServed ? noBytes : last)
    connection.over?.abort()
    if (connection.underWay === 0) connection.finish()
  }

  return {
    /** Watches a server's connections from now on. */
    watch(server: Server) {
      server.on('connection', accept).setTimeout(limits.writeTimeout, isIdle)
    },
    /**
     * Counts a request as pending until it is answered.
     * @returns false when its connection must end, for example because of too many unanswered requests: do not serve it
     */
    begin(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
      const { socket } = incoming
      const connection = connections.get(socket)
      if (connection === undefined || connection.finish !== undefined) return false
      if (connection.underWay >= limits.maxUnanswered) {
        end(socket, noBytes)
        return false
      }
      connection.underWay += 1
      connection.newest = incoming
      asked(socket)
      outgoing.on('close', answered)
      return true
    },
    /** Whether this connection has pending requests. */
    isBusy: (socket: Socket): boolean => (connections.get(socket)?.underWay ?? 0) > 0,
    /** Whether this connection serves no further request. */
    isEnding: (socket: Socket): boolean => connections.get(socket)?.finish !== undefined,
    /** Call this for a connection that must end, after Node has removed its own listeners. */
    ignore(socket: Socket) {
      socket.on('error', () => undefined).on('timeout', () => isIdle(socket))
      if (connections.get(socket)?.finish !== nothing) dropInput(socket)
    },
    /** Whether a connection has no pending request and has never sent the key. */
    isStranger(socket: Socket): boolean {
      const connection = connections.get(socket)
      return connection?.hasKey === false && connection.underWay === 0
    },
    /** Ends a connection at once with these last bytes, and reads no more: a peer that keeps sending can lose them. */
    refuse(socket: Socket, last: Buffer) {
      const connection = connections.get(socket)
      if (connection !== undefined) connection.finish = nothing
      socket.pause()
      socket.end(last, () => void socket.destroy())
    },
    /**
     * A request on this connection had a key.
     * @param namedKey the id of a named key, whose connections may be destroyed to make room for others; those with any
     * other key never are
     */
    hasKey(socket: Socket, namedKey?: string) {
      const connection = connections.get(socket)
      if (connection === undefined || connection.isSafe) return
      if (!connection.hasKey) withoutKey.remove(socket)
      connection.hasKey = true
      if (namedKey === undefined) {
        connection.isSafe = true
        ofNamedKeys.remove(socket)
      } else if (ofNamedKeys.groupOf(socket) !== namedKey) ofNamedKeys.add(socket, namedKey)
    },
    /** The pending request has an upload, whose time is not limited here. */
    uploads(socket: Socket) {
      const connection = connections.get(socket)
      if (connection !== undefined) connection.isUploading = true
    },
    /** Whether a pending request has one. */
    isUploading: (socket: Socket): boolean => connections.get(socket)?.isUploading === true,
    /** The connection received something other than a request, such as a WebSocket frame: it is not idle. */
    active: asked,
    /**
     * Calls `serve` when the earlier requests on the same connection are answered, in a later turn of the event loop: a
     * connection with many requests must not delay the others. Call this after `begin`.
     */
    inTurn(socket: Socket, serve: () => void) {
      const connection = connections.get(socket)
      if (connection === undefined || connection.underWay === 1) serve()
      else {
        connection.waiting ??= []
        connection.waiting.push(serve)
      }
    },
    /**
     * Ends a connection: it serves no further request, answers the pending ones, then sends the last bytes. The peer has
     * `linger` milliseconds to read them.
     * @param last makes the last bytes; not called when the fault is in the body of a served request, because that
     * request has its own answer
     */
    end,
    /**
     * Ends a connection after the current answer.
     * @returns false when it stays open because a request on it had the key, or because none is pending
     */
    cut(socket: Socket): boolean {
      const connection = connections.get(socket)
      // After the refusal of a handshake, which does not count as pending, the connection ends anyway.
      if (connection === undefined || connection.hasKey || connection.underWay === 0) return false
      connection.underWay -= connection.waiting?.length ?? 0
      delete connection.waiting
      end(socket, noBytes)
      return true
    },
    /** Aborted when the connection is lost or must end, so that its requests stop waiting. */
    over(socket: Socket): AbortSignal {
      const connection = connections.get(socket)
      if (connection === undefined || connection.finish !== undefined) return AbortSignal.abort()
      if (connection.over === undefined) {
        connection.over = new AbortController()
        // Each waiting request adds a listener; pipelined requests wait at the same time.
        setMaxListeners(0, connection.over.signal)
      }
      return connection.over.signal
    },
    /** Destroys all connections. */
    destroyAll() {
      for (const socket of connections.keys()) socket.destroy()
    },
  }
}
