/**
 * The edge's end of forwarded calls (bridges/linked/README.md): lets the farm dispatch an endpoint, and reads the stream
 * of its answer.
 */
import { Buffer } from 'node:buffer'
import * as v from 'valibot'
import { FarmError, failureOf } from '../../../handlers/farm-error.ts'
import type { EdgeEndpoint } from '../../../handlers/forwarded-endpoint.ts'
import { Problem } from '../../../handlers/problem.ts'
import { isProblemCode } from '../../../handlers/problem-table.ts'
import { auditRowWithin } from '../../../handlers/records.ts'
import { Stream } from '../../../handlers/stream.ts'
import { checkForeign } from '../../../lib/foreign/read.ts'
import { untilAborted } from '../../../lib/time-limit.ts'
import {
  type ForwardedAnswer,
  type ForwardedCall,
  forwardedAnswer,
  forwarding,
  maxStreamPiece,
  openIds,
  streamPiece,
  type UploadPiece,
} from '../forwarded-call.ts'
import type { EdgeConnection } from './edge-connection.ts'

/** The part of a link that forwarding uses; each fails as `unavailable` without a link. */
export type ForwardingLink = Pick<EdgeConnection, 'call' | 'cancel'>

/**
 * Lets the farm dispatch an endpoint.
 * @param upload of an endpoint that has one
 * @throws {Problem} the answer of the farm's dispatcher; it has written the row of a write
 * @throws {FarmError} unavailable, unsupported, invalid_argument when the farm has not dispatched it; timeout or
 * bad_response when its answer is lost
 */
export type Forward = (
  endpoint: EdgeEndpoint,
  call: Omit<ForwardedCall, 'operationId'>,
  upload?: AsyncIterable<Uint8Array>,
) => Promise<{ readonly result: unknown; readonly status: 200 | 201 | 202 }>

/** Milliseconds for a call whose endpoint names no budget, with its row of the audit: clients have an answer within ten seconds. */
const usualBudget = 8_000
/** The endpoint takes a piece when it has written the last one. */
const puts = { effect: 'read', budget: 60_000, result: v.undefined() } as const
const record = v.looseObject({})
const pieces = { effect: 'read', budget: usualBudget, result: streamPiece } as const
const looks = { effect: 'read', budget: usualBudget, result: openIds } as const

export function forwardOver(link: ForwardingLink): Forward {
  /** The streams of which only the farm knows when they end, because no key opens them. */
  const watched = new Set<number>()
  let looking: Promise<(id: number) => boolean> | undefined
  const look = async () => {
    const asked = new Set(watched)
    const open = new Set(await link.call(forwarding.open, looks, [[...asked]]))
    // One that began after the question is not in the answer.
    return (id: number) => open.has(id) || !asked.has(id)
  }
  /** All streams share one look at a time. */
  const isOpen = async (id: number): Promise<boolean> => {
    looking ??= look().finally(() => {
      looking = undefined
    })
    return (await looking)(id)
  }
  /** Waits where the farm gives no more pieces a minute: the client's download becomes slower, and does not end. */
  const nextPiece = async (id: number): Promise<v.InferOutput<typeof streamPiece>> => {
    for (;;)
      try {
        return await link.call(forwarding.piece, pieces, [id])
      } catch (error) {
        const wait = secondsToWait(error)
        if (wait === undefined) throw error
        await new Promise((resolve) => setTimeout(resolve, wait * 1000))
      }
  }
  const streamOf = (
    { id, type: sentType, ...more }: Extract<ForwardedAnswer, { stream: unknown }>['stream'],
    { type, otherTypes = [] }: NonNullable<EdgeEndpoint['stream']>,
    hasKey: boolean,
  ): Stream => {
    const isWatched = !hasKey || more.right !== undefined
    if (isWatched) watched.add(id)
    const end = () => {
      watched.delete(id)
      link.cancel(id)
    }
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          try {
            const piece = await nextPiece(id)
            if (piece !== undefined)
              return controller.enqueue(new Uint8Array(Buffer.from(piece.base64, 'base64')))
            watched.delete(id)
            controller.close()
          } catch (error) {
            end()
            throw error
          }
        },
        cancel: end,
      },
      { highWaterMark: 0 },
    )
    return new Stream(body, otherTypes.find((other) => other === sentType) ?? type, {
      ...more,
      ...(isWatched && { isGood: () => isOpen(id) }),
    })
  }

  return async (endpoint, call, upload) => {
    const effect = endpoint.method === 'GET' ? 'read' : 'write'
    // The farm answers a write after its row of the audit.
    const budget = endpoint.budget === undefined ? usualBudget : endpoint.budget + auditRowWithin
    const name = crypto.randomUUID()
    // The edge has the whole definition of these endpoints: their writes report the same failures as its reads.
    const isOfGame = 'handle' in endpoint
    const args = [
      { operationId: endpoint.operationId, ...call, ...(upload !== undefined && { upload: name }) },
    ] as const
    const answering = link
      .call(forwarding.dispatch, { effect, budget, result: forwardedAnswer }, args)
      .catch((error: unknown) => {
        if (isOfGame || !(error instanceof FarmError)) throw error
        throw new FarmError(failureOf('farm', error.failure))
      })
    const fault = upload && (await sendUpload(link, name, upload, answering))
    const answer = await answering
    if (fault !== undefined) throw fault
    if ('problem' in answer) throw problemFrom(answer.problem)
    if ('stream' in answer) {
      if (endpoint.stream !== undefined)
        return {
          result: streamOf(answer.stream, endpoint.stream, call.holder !== undefined),
          status: 200,
        }
      link.cancel(answer.stream.id)
    } else if (endpoint.stream === undefined) {
      // The edge that only forwards an endpoint does not know its schema: the farm answers its own clients.
      const read = checkForeign('result' in endpoint ? endpoint.result : record, answer.result)
      if (read.success) return { result: read.output, status: answer.status }
    }
    const detail = `${endpoint.operationId} answered something else`
    throw new FarmError({ kind: 'bad_response', of: 'farm', detail, write: effect === 'write' })
  }
}

/**
 * Sends an upload until the farm has answered.
 * @returns why not all of it came, where its sender is the cause
 */
async function sendUpload(
  link: ForwardingLink,
  upload: string,
  pieces: AsyncIterable<Uint8Array>,
  answering: Promise<unknown>,
): Promise<Problem | undefined> {
  const put = (piece: Uint8Array, end?: UploadPiece['end']) => {
    const base64 = Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('base64')
    return link.call(forwarding.put, puts, [{ upload, base64, ...(end !== undefined && { end }) }])
  }
  const none = new Uint8Array()
  const over = new AbortController()
  const abort = () => over.abort()
  answering.then(abort, abort)
  const iterator = pieces[Symbol.asyncIterator]()
  try {
    for (;;) {
      // A race with the answer itself would hold every piece until then.
      const next = await untilAborted(iterator.next(), over.signal)
      if (next.done === true) break
      for (let at = 0; at < next.value.length; at += maxStreamPiece)
        await put(next.value.subarray(at, at + maxStreamPiece))
    }
    await put(none, 'whole')
    return undefined
  } catch (error) {
    if (!(error instanceof Problem)) return undefined
    await put(none, 'broken').catch(() => undefined)
    return error
  } finally {
    iterator.return?.().catch(() => undefined)
  }
}

/** Until the farm takes the call that it has refused; undefined after any other failure. */
function secondsToWait(error: unknown): number | undefined {
  if (!(error instanceof FarmError) || error.failure.kind !== 'unavailable') return undefined
  return error.failure.because === 'rate_limited' ? error.failure.retryAfter : undefined
}

function problemFrom({
  code,
  message,
  details,
}: Extract<ForwardedAnswer, { problem: unknown }>['problem']): Problem {
  if (isProblemCode(code)) return new Problem(code, message, details)
  return new Problem('unsupported', `${message} (The edge is older than the farm: update the edge.)`)
}
