import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { pause } from '../wait.ts'
import type { StandInDepot } from './depots.ts'

/** A fault of a content server in one request. */
export type CdnFault =
  | { readonly do: 'status'; readonly status: number }
  /** Sends this many bytes per second. */
  | { readonly do: 'slow'; readonly bytesPerSecond: number }
  /** Waits before the answer. */
  | { readonly do: 'delay'; readonly milliseconds: number }
  /** Closes the connection after half of the body. */
  | { readonly do: 'truncate' }
  /** Sends half of the body, with the matching length. */
  | { readonly do: 'shorten' }
  /** Flips one bit in the middle of the body. */
  | { readonly do: 'corrupt' }
  /** Sends another chunk. */
  | { readonly do: 'swap' }
  /** Sends these bytes instead of the right ones. */
  | { readonly do: 'replace'; readonly body: Buffer }
  /** Sends the head and half of the body, then nothing more. */
  | { readonly do: 'stall' }
  /** Closes the connection without an answer. */
  | { readonly do: 'reset' }

interface CdnRequest {
  readonly path: string
  readonly kind: 'manifest' | 'chunk' | 'other'
  readonly host: string
  /** Whether it came over HTTPS, through the proxy of the platform. */
  readonly secure: boolean
}

/** Settings by which a test changes the behaviour of a content server, at any time. */
interface CdnKnobs {
  /** Required query string; a request without it gets 403. `undefined`: none is required. */
  token: string | undefined
  /** Returns the fault of a request, `undefined` for none. `number` counts the requests from 1. */
  fault: (request: CdnRequest, number: number) => CdnFault | undefined
  /** Code that ends the address of a manifest. */
  requestCode: string
}

/** One content server on loopback. */
export interface Cdn {
  /** `127.0.0.1:port`. */
  readonly host: string
  readonly knobs: CdnKnobs
  /** Every request, oldest first. */
  readonly requests: CdnRequest[]
  /** Maximum number of concurrent requests so far. */
  readonly peak: () => number
  /** Adds a version of a depot. It takes precedence over earlier ones. */
  serve(depot: StandInDepot): void
  /** Number of requests for chunks. */
  chunkRequests(): number
  close(): Promise<void>
}

/** Starts a content server, on any free port unless one is given. Several can serve the same depots. */
export async function startCdn(depots: readonly StandInDepot[] = [], port = 0): Promise<Cdn> {
  const served = [...depots]
  const requests: CdnRequest[] = []
  let underWay = 0
  let peak = 0
  const knobs: CdnKnobs = { token: undefined, fault: () => undefined, requestCode: '1234567890123456789' }

  const find = (path: string): Buffer | undefined => {
    const [, , id, kind, name, version, code] = path.split('/')
    const versions = served.filter(({ depotId }) => String(depotId) === id)
    if (kind === 'chunk') {
      for (const depot of versions) {
        const chunk = depot.chunks.get(name ?? '')
        if (chunk !== undefined) return chunk.packed()
      }
      return undefined
    }
    if (kind !== 'manifest' || version !== '5' || code !== knobs.requestCode) return undefined
    return versions.find(({ manifestId }) => manifestId === name)?.manifest
  }

  const other = (path: string): Buffer => {
    const name = path.split('/')[4]
    for (const { chunks } of served)
      for (const [sha, chunk] of chunks) if (sha !== name) return chunk.packed()
    return Buffer.alloc(32)
  }

  const server = createServer((request, response) => {
    underWay += 1
    peak = Math.max(peak, underWay)
    response.on('close', () => {
      underWay -= 1
    })
    void answer(request, response)
  })

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [path = '', query = ''] = (request.url ?? '').split('?')
    const kind = path.includes('/chunk/') ? 'chunk' : path.includes('/manifest/') ? 'manifest' : 'other'
    const secure = request.headers['x-forwarded-proto'] === 'https'
    const seen: CdnRequest = { path, kind, host: request.headers.host ?? '', secure }
    requests.push(seen)
    if (knobs.token !== undefined && `?${query}` !== knobs.token) {
      response.writeHead(403).end('Forbidden')
      return
    }
    const fault = knobs.fault(seen, requests.length)
    if (fault?.do === 'status') {
      response.writeHead(fault.status).end('No')
      return
    }
    if (fault?.do === 'reset') {
      request.socket.destroy()
      return
    }
    if (fault?.do === 'delay') await pause(fault.milliseconds)
    const body = fault?.do === 'swap' ? other(path) : fault?.do === 'replace' ? fault.body : find(path)
    if (body === undefined) {
      response.writeHead(404).end('Not found')
      return
    }
    send(response, body, fault)
  }

  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the content server has no port')
  return {
    host: `127.0.0.1:${address.port}`,
    knobs,
    requests,
    peak: () => peak,
    serve: (depot) => void served.unshift(depot),
    chunkRequests: () => requests.filter(({ kind }) => kind === 'chunk').length,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function send(response: ServerResponse, body: Buffer, fault: CdnFault | undefined): void {
  const half = body.subarray(0, body.length >> 1)
  const length = fault?.do === 'shorten' ? half.length : body.length
  response.writeHead(200, { 'content-type': 'application/x-steam-chunk', 'content-length': length })
  switch (fault?.do) {
    case 'truncate':
      response.write(half, () => response.destroy())
      return
    case 'shorten':
      response.end(half)
      return
    case 'stall':
      response.write(half)
      return
    case 'corrupt': {
      const damaged = Buffer.from(body)
      damaged[body.length >> 1] = (damaged[body.length >> 1] ?? 0) ^ 1
      response.end(damaged)
      return
    }
    case 'slow':
      trickle(response, body, fault.bytesPerSecond)
      return
    default:
      response.end(body)
  }
}

/** Sends the body slowly, in twenty pieces per second. */
function trickle(response: ServerResponse, body: Buffer, bytesPerSecond: number): void {
  let at = 0
  const piece = Math.max(1, Math.ceil(bytesPerSecond / 20))
  const timer = setInterval(() => {
    response.write(body.subarray(at, at + piece))
    at += piece
    if (at < body.length) return
    clearInterval(timer)
    response.end()
  }, 50)
  response.on('close', () => clearInterval(timer))
}
