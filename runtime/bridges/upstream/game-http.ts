/**
 * HTTP to the game server: one pool of kept connections for reads, a connection of its own for each write
 * (a kept one may be closing just then, and a write whose fate is unknown must not be sent again).
 * Every call has a budget and every answer a size; redirects are not followed, so the key goes nowhere else.
 */
import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest, Agent as TlsAgent } from 'node:https'
import { GameError, type GameFailure, lostAnswer } from '../../../handlers/game-error.ts'
import { causeOfError, type FailureCause, notItsApi, silentFor } from '../../failure-cause.ts'
import type { Clock } from './clock.ts'
import { retryAfterOf } from './retry-after.ts'
import { UpstreamError } from './upstream-error.ts'

export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** With its query. */
  readonly path: string
  readonly body?: string
  /** Milliseconds for the whole call. */
  readonly budget: number
  /** Bytes that the answer may have. */
  readonly maxBytes: number
}

export interface GameAnswer {
  readonly status: number
  readonly text: string
  /** `Content-Type`, for the log. */
  readonly type: string
  /** Seconds of `Retry-After`, when it sends one. */
  readonly retryAfter: number | undefined
  /** `X-Snapshot-Age-Ms`, when the game sends one. */
  readonly snapshotAge: number | undefined
}

export interface GameHttp {
  /** @throws {GameError} unavailable, timeout, bad_response */
  call(call: Call): Promise<GameAnswer>
  readonly writesUnderWay: number
  /** Ends calls under way: reads as `unavailable`, writes that were sent as `timeout`, their outcome unknown. */
  close(): void
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

export function gameHttp({ url, key, clock }: { url: URL; key: string; clock: Clock }): GameHttp {
  const isTls = url.protocol === 'https:'
  // Idle connections go before the game closes them (15 s), so that a read seldom meets a closing one.
  const settings = { keepAlive: true, maxSockets: 16, maxFreeSockets: 4, timeout: 10_000 }
  const pool = isTls ? new TlsAgent(settings) : new Agent(settings)
  const base = url.pathname.replace(/\/+$/, '')
  /** How to lose each call under way. */
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
        // The game answers 411 to a POST without a length, and may do it all the same.
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
    const fail = (failure: GameFailure, cause?: FailureCause) => {
      end()
      reject(cause === undefined ? new GameError(failure) : new UpstreamError(failure, cause))
      request.destroy()
    }
    /** The connection is gone: before it was made nothing can have happened; afterwards a write may have. */
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
    request.on('response', (response) => {
      collect(response, call, isWrite).then(
        (answer) => {
          end()
          resolve(answer)
        },
        (error: unknown) =>
          error instanceof UpstreamError ? fail(error.failure, error.cause) : lost(causeOfError(error)),
      )
    })
    return promise
  }

  return {
    async call(call) {
      if (isClosed) throw new GameError({ kind: 'unavailable' })
      const began = clock.elapsed()
      const answer = await once(call, call.budget, call.method !== 'GET')
      if (answer !== 'stale connection') return answer
      // Only a read on a kept connection that the game had closed: asked once more on a new one.
      const again = await once(call, Math.max(1, call.budget - (clock.elapsed() - began)), true)
      if (again === 'stale connection') throw new GameError({ kind: 'unavailable' })
      return again
    },
    get writesUnderWay() {
      return writesUnderWay
    },
    close() {
      isClosed = true
      for (const lose of underWay) lose()
      pool.destroy()
    },
  }
}

/** The whole answer as text. @throws {GameError} too large or not UTF-8; any other error when it breaks off */
async function collect(response: IncomingMessage, { maxBytes }: Call, write: boolean): Promise<GameAnswer> {
  const bad = (detail: string) =>
    new UpstreamError({ kind: 'bad_response', detail, write }, notItsApi(detail))
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) throw bad('answer too large')
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw bad('answer too large')
    chunks.push(chunk)
  }
  const age = Number(response.headers['x-snapshot-age-ms'])
  let text: string
  try {
    text = utf8.decode(Buffer.concat(chunks))
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
