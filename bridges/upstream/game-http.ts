/**
 * HTTP client of the game server. Reads use a pool of keep-alive connections. Each write opens a separate connection,
 * because the game may be closing a keep-alive one at that moment, and a write whose outcome is unknown must not be
 * sent again. Every call has a time budget and a largest answer. Redirects are not followed, so the key goes to no
 * other server.
 */
import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest, Agent as TlsAgent } from 'node:https'
import { FarmError, type FarmFailure, lostAnswer } from '../../handlers/farm-error.ts'
import type { Clock } from '../../lib/clock.ts'
import { causeOfError, type FailureCause, notItsApi, silentFor } from '../../lib/failure-cause.ts'
import { collected } from '../../lib/foreign/collected.ts'
import { retryAfterOf } from '../retry-after-header.ts'
import { UpstreamError } from './upstream-error.ts'
import { withoutKey } from './without-key.ts'

export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** With the query string. */
  readonly path: string
  readonly body?: string
  /** Milliseconds for the whole call. */
  readonly budget: number
  /** The largest answer, in bytes. */
  readonly maxBytes: number
}

export interface GameAnswer {
  readonly status: number
  readonly text: string
  /** The `Content-Type` header, for the log. */
  readonly type: string
  /** The `Retry-After` header in seconds, if it was sent. */
  readonly retryAfter: number | undefined
  /** The `X-Snapshot-Age-Ms` header, if it was sent. */
  readonly snapshotAge: number | undefined
}

export type GameHttp = ReturnType<typeof gameHttp>

const utf8 = new TextDecoder('utf-8', { fatal: true })

interface GameHttpOptions {
  readonly url: URL
  readonly key: string
  readonly clock: Clock
  /** Called when a call ends. @param seconds until the game's answer, or until the call failed */
  readonly ended: ((seconds: number) => void) | undefined
}

export function gameHttp({ url, key, clock, ended }: GameHttpOptions) {
  const isTls = url.protocol === 'https:'
  // Closes idle connections before the game does (after 15 s), so that a read rarely meets a closing one.
  const settings = { keepAlive: true, maxSockets: 16, maxFreeSockets: 4, timeout: 10_000 }
  const pool = isTls ? new TlsAgent(settings) : new Agent(settings)
  const base = url.pathname.replace(/\/+$/, '')
  const blank = withoutKey(key)
  /** Fails each pending call as one whose connection was lost. */
  const underWay = new Set<() => void>()
  let writesUnderWay = 0
  let isClosed = false

  function open({ method, path, body }: Call, isFresh: boolean): ClientRequest {
    const request = (isTls ? httpsRequest : httpRequest)({
      protocol: url.protocol,
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port,
      path: base + path,
      method,
      agent: isFresh ? false : pool,
      headers: {
        accept: 'application/json',
        ...(key !== '' && { authorization: `Bearer ${key}` }),
        // The game answers 411 to a POST without Content-Length, but may make the change anyway.
        ...(method !== 'GET' && { 'content-length': Buffer.byteLength(body ?? '') }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
    })
    request.end(body)
    return request
  }

  function once(call: Call, budget: number, isFresh: boolean): Promise<GameAnswer | 'stale connection'> {
    const isWrite = call.method !== 'GET'
    const { promise, resolve, reject } = Promise.withResolvers<GameAnswer | 'stale connection'>()
    const request = open(call, isFresh)
    let isSent = false
    const end = () => {
      callOff()
      if (underWay.delete(lost) && isWrite) writesUnderWay -= 1
    }
    const fail = (failure: FarmFailure, cause?: FailureCause) => {
      end()
      reject(cause === undefined ? new FarmError(failure) : new UpstreamError(failure, cause))
      request.destroy()
    }
    /** The connection is lost. If it was never established, a write was certainly not made. */
    const lost = (cause?: FailureCause) => fail(lostAnswer(isWrite && isSent ? 'write' : 'read'), cause)
    const callOff = clock.after(budget, () => {
      const cause = silentFor(call.budget)
      if (isWrite && !isSent) lost(cause)
      else fail({ kind: 'timeout', write: isWrite }, cause)
    })
    underWay.add(lost)
    if (isWrite) writesUnderWay += 1
    request.on('socket', (socket) => {
      if (request.reusedSocket || !socket.connecting) isSent = true
      else socket.once(isTls ? 'secureConnect' : 'connect', () => (isSent = true))
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (!isWrite && request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')) {
        end()
        resolve('stale connection')
      } else if (error.code?.startsWith('HPE_')) {
        fail(
          { kind: 'bad_response', detail: `not HTTP (${error.code})`, write: isWrite },
          causeOfError(error),
        )
      } else lost(causeOfError(error))
    })
    // Node delivers an answer that switches protocols in one of two ways, and neither has an end.
    const switched = () =>
      fail(
        { kind: 'bad_response', detail: 'answer 101 to a request', write: isWrite },
        notItsApi('answer 101 to a request'),
      )
    request.on('upgrade', (_answer, socket) => {
      socket.destroy()
      switched()
    })
    request.on('response', (response) => {
      if (response.statusCode === 101) return switched()
      collect(response, call, isWrite).then(
        (answer) => {
          end()
          resolve({ ...answer, text: blank(answer.text), type: blank(answer.type) })
        },
        (error: unknown) =>
          error instanceof UpstreamError ? fail(error.failure, error.cause) : lost(causeOfError(error)),
      )
    })
    return promise
  }

  return {
    /** @throws {FarmError} unavailable, timeout, bad_response */
    async call(call: Call): Promise<GameAnswer> {
      if (isClosed) throw new FarmError({ kind: 'unavailable' })
      const began = clock.monotonic()
      try {
        const answer = await once(call, call.budget, call.method !== 'GET')
        if (answer !== 'stale connection') return answer
        // A read met a keep-alive connection that the game had closed: it is sent again on a new connection.
        const again = await once(call, Math.max(1, call.budget - (clock.monotonic() - began)), true)
        if (again === 'stale connection') throw new FarmError({ kind: 'unavailable' })
        return again
      } finally {
        ended?.((clock.monotonic() - began) / 1000)
      }
    },
    get writesUnderWay(): number {
      return writesUnderWay
    },
    /** Fails pending calls: reads with `unavailable`, writes that were sent with `timeout` (outcome unknown). */
    close() {
      isClosed = true
      for (const lose of underWay) lose()
      pool.destroy()
    },
  }
}

/**
 * Reads the whole answer. @throws {UpstreamError} when it is too large or not UTF-8; any other error when it ends
 * early
 */
async function collect(response: IncomingMessage, { maxBytes }: Call, write: boolean): Promise<GameAnswer> {
  const bad = (detail: string) =>
    new UpstreamError({ kind: 'bad_response', detail, write }, notItsApi(detail))
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) throw bad('answer too large')
  const read = collected(maxBytes)
  for await (const chunk of response as AsyncIterable<Buffer>)
    if (!read.add(chunk)) throw bad('answer too large')
  const age = Number(response.headers['x-snapshot-age-ms'])
  let text: string
  try {
    text = utf8.decode(read.whole())
  } catch {
    throw bad('answer is not UTF-8')
  }
  return {
    status: response.statusCode ?? 0,
    text,
    type: response.headers['content-type'] ?? 'no content type',
    retryAfter: retryAfterOf(response.headers['retry-after']),
    snapshotAge: Number.isFinite(age) ? age : undefined,
  }
}
