import http from 'node:http'
import https from 'node:https'
import { release } from './release.ts'

/** Why one request brought nothing. */
export type FetchProblem =
  | { readonly kind: 'status'; readonly status: number }
  /** No connection: name not found, refused, unreachable, bad certificate. */
  | { readonly kind: 'unreachable' }
  /** Nothing came for a while. */
  | { readonly kind: 'stalled' }
  /** The connection ended in the middle, or the length is not the expected one. */
  | { readonly kind: 'cut' }

/** Names the problem only: the address may carry a token. */
export class FetchError extends Error {
  readonly problem: FetchProblem

  constructor(problem: FetchProblem) {
    super(problem.kind === 'status' ? `status ${problem.status}` : problem.kind)
    this.name = 'FetchError'
    this.problem = problem
  }
}

/** Connections that are kept open and used again, through a proxy when one is given. */
export interface Connections {
  readonly http: http.Agent
  readonly https: https.Agent
  readonly proxied: boolean
  close(): void
}

/** @param proxy URL of an HTTP proxy, credentials included; `undefined` for none */
export function openConnections(count: number, proxy: string | undefined): Connections {
  const options = { keepAlive: true, maxSockets: count, maxFreeSockets: count, scheduling: 'lifo' as const }
  const proxyEnv = proxy === undefined ? undefined : { HTTP_PROXY: proxy, HTTPS_PROXY: proxy }
  const agents = {
    http: new http.Agent({ ...options, ...(proxyEnv && { proxyEnv }) }),
    https: new https.Agent({ ...options, ...(proxyEnv && { proxyEnv }) }),
  }
  return {
    ...agents,
    proxied: proxy !== undefined,
    close() {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

export interface FetchRequest {
  readonly url: string
  /** `Host` header, where it is not the address's own name. */
  readonly vhost: string
  readonly connections: Connections
  /** Gives the memory to receive into, once the length is known (`undefined`: not stated). */
  readonly memory: (length: number | undefined) => Buffer
  /** Milliseconds without a byte after which the request has stalled. */
  readonly idle: number
  readonly signal: AbortSignal
}

const UNREACHABLE =
  /^(ENOTFOUND|EAI_|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ERR_PROXY|CERT_|ERR_TLS|ERR_SSL|EPROTO|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/

/**
 * GETs an address into memory.
 * @returns how many bytes came; the body exactly fills that much of the memory
 * @throws FetchError; whatever the signal was aborted with
 */
export function fetchInto(request: FetchRequest): Promise<number> {
  const { url, vhost, connections, memory, idle, signal } = request
  return new Promise((resolve, reject) => {
    const address = new URL(url)
    const secure = address.protocol === 'https:'
    // Through a proxy plain HTTP must name in `Host` what the request line names (RFC 9112 3.2.2).
    const headers = {
      'user-agent': 'Valve/Steam HTTP Client 1.0',
      accept: '*/*',
      'accept-encoding': 'identity',
    }
    const call = (secure ? https : http).get(address, {
      agent: secure ? connections.https : connections.http,
      headers: connections.proxied && !secure ? headers : { ...headers, host: vhost },
      timeout: idle,
    })
    let received = 0
    let settled = false
    const end = (error?: unknown): void => {
      if (settled) return
      settled = true
      signal.removeEventListener('abort', aborted)
      if (error === undefined) resolve(received)
      else {
        call.destroy()
        reject(error)
      }
    }
    const aborted = (): void => end(signal.reason)
    if (signal.aborted) return aborted()
    signal.addEventListener('abort', aborted, { once: true })
    call.on('timeout', () => end(new FetchError({ kind: 'stalled' })))
    call.on('error', (error: NodeJS.ErrnoException) => {
      // The server had closed a connection that we kept: that says nothing of the server, a new one will do.
      if (call.reusedSocket && received === 0 && !settled && error.code === 'ECONNRESET') {
        settled = true
        signal.removeEventListener('abort', aborted)
        return resolve(fetchInto(request))
      }
      end(new FetchError({ kind: UNREACHABLE.test(error.code ?? '') ? 'unreachable' : 'cut' }))
    })
    call.on('response', (response) => {
      const status = response.statusCode ?? 0
      if (status !== 200) {
        // A short refusal is read to its end, so that the connection lives on.
        response.resume()
        if (Number(response.headers['content-length'] ?? Infinity) > 65536) call.destroy()
        settled = true
        signal.removeEventListener('abort', aborted)
        return reject(new FetchError({ kind: 'status', status }))
      }
      let into: Buffer
      const stated = response.headers['content-length']
      try {
        into = memory(stated === undefined ? undefined : Number(stated))
      } catch (error) {
        return end(error)
      }
      response.on('data', (piece: Buffer) => {
        if (settled) return
        if (received + piece.length > into.length) return end(new FetchError({ kind: 'cut' }))
        piece.copy(into, received)
        received += piece.length
        release(piece)
      })
      response.on('end', () => end(response.complete ? undefined : new FetchError({ kind: 'cut' })))
      response.on('error', () => end(new FetchError({ kind: 'cut' })))
      response.on('aborted', () => end(new FetchError({ kind: 'cut' })))
    })
  })
}
