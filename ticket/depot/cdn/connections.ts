import { type Connection, type Origin, openConnection, originOf, requestText } from './connection.ts'
import { FetchError } from './fetch-error.ts'
import { type Received, type ResponseReader, responseReader } from './response.ts'

/** Connections that are kept open and used again, through a proxy when one is given. */
export interface Connections {
  /**
   * GETs an address into memory.
   * @returns the body: the part of the memory that it fills
   * @throws FetchError; whatever the signal was aborted with; whatever `memory` throws
   */
  fetch(request: FetchRequest): Promise<Buffer>
  /** Ends everything at once; nothing is fetched after it. */
  close(): void
}

interface FetchRequest {
  readonly url: string
  /** `Host` header, and over TLS the name in the certificate. */
  readonly vhost: string
  /** Gives the memory to receive into, once the length is known (`undefined`: not stated); may throw to refuse it. */
  readonly memory: (length: number | undefined) => Buffer
  /** Whether a request that has taken so many milliseconds is given up. */
  readonly tooSlow: (took: number) => boolean
  readonly signal: AbortSignal
}

export interface ConnectionsParts {
  /** Connections kept open at once. */
  readonly count: number
  /** URL of an HTTP proxy, credentials included; `undefined` for none. */
  readonly proxy: string | undefined
  /** Milliseconds without a byte after which a request has stalled. */
  readonly idle: number
  /** Monotonic milliseconds. */
  readonly now: () => number
}

/** A connection and what is under way on it. */
interface Line {
  readonly key: string
  readonly head: Buffer
  readonly connection: Connection
  exchange: Exchange | undefined
}

/** One request under way. */
interface Exchange {
  readonly reader: ResponseReader
  readonly tooSlow: (took: number) => boolean
  readonly started: number
  /** Bytes that came, now and at the last look. */
  heard: number
  heardBefore: number
  /** Looks in a row that found little new. */
  silent: number
  done(received: Received): void
  failed(error: unknown): void
  /** The connection ended. */
  ended(code: string | undefined): void
}

const unreachableCodes =
  /^(ENOTFOUND|EAI_|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|EADDRNOTAVAIL|ETIMEDOUT|ERR_PROXY|CERT_|ERR_TLS|ERR_SSL|EPROTO|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/

/** Longest head of a response; what content servers send has a few hundred bytes. */
const maxHeadSize = 16 * 1024
/** How often within `idle` the requests under way are looked at. */
const checksPerTimeout = 5
/** Bytes a second; who sends less sends nothing, or a trickle could hold up a download for ever. */
const minBytesPerSecond = 256

/**
 * Opens no connection yet; each is opened by the first request that needs it.
 *
 * An HTTP client of our own, because it receives into the shared memory that the decoding threads read, without a copy.
 * Measured by turns against undici 8.12 on one machine of two processors, best of four or five: 384 MiB of zip in 3.1 s
 * against 4.2 s (a third faster), of zstd in 2.8 s against 3.2 s (a sixth), 70 MiB of LZMA in 3.3 s against 3.5 s (there
 * the decoder sets the pace); peak memory of the three 238 to 303 MB against 273 to 332 MB.
 */
export function openConnections({ count, proxy, idle, now }: ConnectionsParts): Connections {
  const via = proxy === undefined ? undefined : new URL(proxy)
  const lines = new Set<Line>()
  const free: Line[] = []
  const underWay = new Set<Exchange>()
  const trickle = (minBytesPerSecond / 1000) * (idle / checksPerTimeout)
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
        if (line?.exchange !== undefined) hear(line.exchange, size)
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

  const hear = (exchange: Exchange, size: number): void => {
    exchange.heard += size
    try {
      const received = exchange.reader.arrived(size)
      // `memory` may have aborted the request.
      if (received !== undefined && underWay.has(exchange)) exchange.done(received)
    } catch (error) {
      exchange.failed(error)
    }
  }

  /** A request has stalled after several checks in a row without new bytes, not after a time: when the thread was busy for long, the bytes that wait in the sockets are read before the next check. */
  const look = (): void => {
    for (const exchange of underWay) {
      exchange.silent = exchange.heard - exchange.heardBefore > trickle ? 0 : exchange.silent + 1
      exchange.heardBefore = exchange.heard
      if (exchange.silent >= checksPerTimeout || exchange.tooSlow(now() - exchange.started))
        exchange.failed(new FetchError('stalled'))
    }
  }

  const begin = (exchange: Exchange): void => {
    underWay.add(exchange)
    clock ??= setInterval(look, idle / checksPerTimeout)
  }

  const end = (exchange: Exchange): void => {
    underWay.delete(exchange)
    if (underWay.size > 0) return
    clearInterval(clock)
    clock = undefined
  }

  const lineTo = (url: URL, server: URL, fresh: boolean): { line: Line; reused: boolean } => {
    const origin = originOf(url, server.hostname)
    const key = `${origin.secure} ${origin.host} ${origin.port} ${origin.name}`
    const index = fresh ? -1 : free.findLastIndex((line) => line.key === key)
    const [line] = index < 0 ? [] : free.splice(index, 1)
    return { line: line ?? open(key, origin), reused: line !== undefined }
  }

  const run = async (request: FetchRequest, fresh: boolean): Promise<Buffer> => {
    const { vhost, memory, tooSlow, signal } = request
    signal.throwIfAborted()
    if (closed) throw new FetchError('cut')
    const url = new URL(request.url)
    const server = new URL(`http://${vhost}`)
    const text = requestText(url, server.host, via)
    const { line, reused } = lineTo(url, server, fresh)
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
        heard: 0,
        heardBefore: 0,
        silent: 0,
        done({ status, body, reusable }) {
          leave()
          if (reusable && lines.size <= count) free.push(line)
          else drop(line)
          if (status === 200) resolve(body)
          else reject(new FetchError('status', status))
        },
        failed(error) {
          leave()
          drop(line)
          // What TLS has read at once is still written, piece by piece; microtasks run in between.
          setImmediate(reject, error)
        },
        ended(code) {
          // The server had closed a connection that we kept: that says nothing of the server, a new one will do.
          if (reused && exchange.heard === 0) {
            leave()
            drop(line)
            resolve(run(request, true))
            return
          }
          try {
            if (code !== undefined) throw endError(code)
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
    fetch: (request) => run(request, false),
    close() {
      closed = true
      for (const exchange of underWay) exchange.failed(new FetchError('cut'))
      for (const line of lines) drop(line)
    },
  }
}

function endError(code: string): FetchError {
  return new FetchError(unreachableCodes.test(code) ? 'unreachable' : 'cut')
}
