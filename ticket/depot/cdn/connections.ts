import { type Connection, type Origin, openConnection, originOf, requestText } from './connection.ts'
import { connectionFailed, invalidResponse, refusedWith, stalled } from './fetch-error.ts'
import { type Received, type ResponseReader, responseReader } from './response.ts'

/** Connections that are kept open and reused, through a proxy when one is configured. */
export type Connections = ReturnType<typeof openConnections>

interface FetchRequest {
  readonly url: string
  /** `Host` header, and with TLS the name that the certificate must have. */
  readonly vhost: string
  /** Returns a buffer for a body of this length in bytes (`undefined`: not stated); may throw to refuse it. */
  readonly memory: (length: number | undefined) => Buffer
  /** Whether a request that has taken this many milliseconds is aborted as stalled. */
  readonly tooSlow: (took: number) => boolean
  readonly signal: AbortSignal
}

export interface ConnectionsParts {
  /** Maximum number of open connections. */
  readonly count: number
  /** URL of an HTTP proxy, credentials included; `undefined` for none. */
  readonly proxy: string | undefined
  /** Milliseconds without new bytes after which a request has stalled. */
  readonly idle: number
  /** Monotonic milliseconds. */
  readonly now: () => number
}

/** A connection and its current request. */
interface Line {
  readonly key: string
  readonly head: Buffer
  readonly connection: Connection
  exchange: Exchange | undefined
}

/** One request in progress. */
interface Exchange {
  readonly reader: ResponseReader
  readonly tooSlow: (took: number) => boolean
  readonly started: number
  /** Bytes received so far, and at the last check. */
  bytesReceived: number
  bytesAtLastCheck: number
  /** Checks in a row that found too few new bytes. */
  idleChecks: number
  done(received: Received): void
  failed(error: unknown): void
  /** Called when the connection ended; `code` is undefined for an orderly end. */
  ended(code: string | undefined): void
}

/** Maximum size of a response head in bytes. Heads of content servers have a few hundred. */
const maxHeadSize = 16 * 1024
/** Number of checks for stalled requests within `idle`. */
const checksPerTimeout = 5
/** Bytes per second. A slower server counts as stalled, so that it cannot delay a download without end. */
const minBytesPerSecond = 256

/**
 * Makes a pool of connections. A connection is opened by the first request that needs it.
 *
 * This client is used in place of undici because it receives into the shared memory that the decoding threads read,
 * without a copy. Measured alternately with undici 8.12 on one machine with two processors, best of four or five runs:
 * 384 MiB of zip in 3.1 s against 4.2 s, of zstd in 2.8 s against 3.2 s, 70 MiB of LZMA in 3.3 s against 3.5 s (the
 * decoder is the limit). Peak memory of the three was 238 to 303 MB against 273 to 332 MB.
 */
export function openConnections({ count, proxy, idle, now }: ConnectionsParts) {
  const via = proxy === undefined ? undefined : new URL(proxy)
  const lines = new Set<Line>()
  const free: Line[] = []
  const underWay = new Set<Exchange>()
  const minBytesPerCheck = (minBytesPerSecond / 1000) * (idle / checksPerTimeout)
  let clock: NodeJS.Timeout | undefined
  let closed = false

  const drop = (line: Line): void => {
    lines.delete(line)
    const index = free.indexOf(line)
    if (index >= 0) free.splice(index, 1)
    line.connection.destroy()
  }

  const open = (key: string, origin: Origin): Line => {
    const [oldest] = free
    if (lines.size >= count && oldest !== undefined) drop(oldest)
    const head = Buffer.allocUnsafeSlow(maxHeadSize)
    let line: Line | undefined
    const connection = openConnection(origin, via, {
      place: () => line?.exchange?.reader.place() ?? head,
      arrived(size) {
        if (line?.exchange !== undefined) receive(line.exchange, size)
        else if (line !== undefined) drop(line)
      },
      ended(code) {
        if (line?.exchange !== undefined) line.exchange.ended(code)
        else if (line !== undefined) drop(line)
      },
    })
    line = { key, head, connection, exchange: undefined }
    lines.add(line)
    return line
  }

  const receive = (exchange: Exchange, size: number): void => {
    exchange.bytesReceived += size
    try {
      const received = exchange.reader.arrived(size)
      // `memory` may have aborted the signal, which has already failed this request.
      if (received !== undefined && underWay.has(exchange)) exchange.done(received)
    } catch (error) {
      exchange.failed(error)
    }
  }

  /**
   * Fails requests that have stalled. Checks are counted, not time: after the thread was blocked, the
   * bytes that wait in the sockets are read before the next check.
   */
  const failStalled = (): void => {
    for (const exchange of underWay) {
      exchange.idleChecks =
        exchange.bytesReceived - exchange.bytesAtLastCheck > minBytesPerCheck ? 0 : exchange.idleChecks + 1
      exchange.bytesAtLastCheck = exchange.bytesReceived
      if (exchange.idleChecks >= checksPerTimeout || exchange.tooSlow(now() - exchange.started))
        exchange.failed(stalled())
    }
  }

  const begin = (exchange: Exchange): void => {
    underWay.add(exchange)
    clock ??= setInterval(failStalled, idle / checksPerTimeout)
  }

  const end = (exchange: Exchange): void => {
    underWay.delete(exchange)
    if (underWay.size > 0) return
    clearInterval(clock)
    clock = undefined
  }

  const takeLine = (url: URL, server: URL, fresh: boolean): { line: Line; reused: boolean } => {
    const origin = originOf(url, server.hostname)
    const key = `${origin.secure} ${origin.host} ${origin.port} ${origin.name}`
    const index = fresh ? -1 : free.findLastIndex((line) => line.key === key)
    const [line] = index < 0 ? [] : free.splice(index, 1)
    return { line: line ?? open(key, origin), reused: line !== undefined }
  }

  const run = async (request: FetchRequest, fresh: boolean): Promise<Buffer> => {
    const { vhost, memory, tooSlow, signal } = request
    signal.throwIfAborted()
    if (closed) throw invalidResponse()
    const url = new URL(request.url)
    const server = new URL(`http://${vhost}`)
    const text = requestText(url, server.host, via)
    const { line, reused } = takeLine(url, server, fresh)
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        end(exchange)
        line.exchange = undefined
        signal.removeEventListener('abort', aborted)
      }
      const aborted = (): void => exchange.failed(signal.reason)
      const exchange: Exchange = {
        reader: responseReader(line.head, memory),
        tooSlow,
        started: now(),
        bytesReceived: 0,
        bytesAtLastCheck: 0,
        idleChecks: 0,
        done({ status, body, reusable }) {
          leave()
          if (reusable && lines.size <= count) free.push(line)
          else drop(line)
          if (status === 200) resolve(body)
          else reject(refusedWith(status))
        },
        failed(error) {
          leave()
          drop(line)
          // TLS may still write to the old buffer in this turn of the event loop. The caller must not reuse it before.
          setImmediate(reject, error)
        },
        ended(code) {
          // The server had closed this kept connection before the request. The request is sent again on a new one.
          if (reused && exchange.bytesReceived === 0) {
            leave()
            drop(line)
            resolve(run(request, true))
            return
          }
          try {
            if (code !== undefined) throw connectionFailed(code)
            exchange.done({ ...exchange.reader.closed(), reusable: false })
          } catch (error) {
            exchange.failed(error)
          }
        },
      }
      signal.addEventListener('abort', aborted)
      line.exchange = exchange
      begin(exchange)
      line.connection.send(text)
    })
  }

  return {
    /**
     * Sends a GET request and receives the body into the buffer of `memory`.
     * @returns the part of that buffer that the body fills
     * @throws FetchError; the reason of the signal; errors of `memory`
     */
    fetch: (request: FetchRequest) => run(request, false),
    /** Closes all connections. Requests in progress and later requests reject with FetchError `cut`. */
    close() {
      closed = true
      for (const exchange of underWay) exchange.failed(invalidResponse())
      for (const line of lines) drop(line)
    },
  }
}
