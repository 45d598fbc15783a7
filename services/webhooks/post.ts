/** Sends one request to a receiver, and reads no more of its answer than is needed. */

import type { IncomingMessage } from 'node:http'
import * as v from 'valibot'
import type { TryError } from '../../handlers/webhook-record.ts'
import type { Clock } from '../../lib/clock.ts'
import { errorCode } from '../../lib/error-code.ts'
import { collected } from '../../lib/foreign/collected.ts'
import { readForeign } from '../../lib/foreign/read.ts'
import { singleRequest } from '../../lib/single-request.ts'
import type { Message } from './message.ts'
import { hostOf, type ReceiverAddress, RefusedAddress } from './receiver-address.ts'

export interface TryEnd {
  /** Missing when it arrived. */
  readonly error?: TryError
  /** Of the answer, if there was one. */
  readonly status?: number
  /** Milliseconds that the receiver asked to wait. */
  readonly wait?: number
}

/** @returns its outcome; never throws */
export type Post = (url: string, message: Message) => Promise<TryEnd>

export interface PostParts extends Pick<Clock, 'now'> {
  readonly address: ReceiverAddress
  /** Milliseconds for everything, from the look-up to the answer. */
  readonly timeout: number
  /** Aborts when the process stops. */
  readonly stopping: AbortSignal
}

/** Maximum of bytes of an answer that are read. */
const maxAnswer = 4096
const maxWait = 86_400_000

export const poster =
  ({ address, timeout, stopping, now }: PostParts): Post =>
  async (text, { headers, body }) => {
    const over = AbortSignal.timeout(timeout)
    const signal = AbortSignal.any([over, stopping])
    const url = new URL(text)
    if (address.refuses(hostOf(url))) return { error: 'refused_address' }
    let answer: IncomingMessage | undefined
    try {
      const { request, answered } = singleRequest(url, {
        method: 'POST',
        headers: { ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' },
        lookup: address.lookup,
        signal,
      })
      request.end(body)
      answer = await answered
      return await endOf(answer, now)
    } catch (error) {
      if (over.aborted) return { error: 'timeout' }
      return { error: errorOf(error) }
    } finally {
      // The rest of the answer is dropped, however long it is.
      answer?.destroy()
    }
  }

async function endOf(answer: IncomingMessage, now: () => number): Promise<TryEnd> {
  const status = answer.statusCode ?? 0
  if (status >= 200 && status < 300) return { status }
  if (status >= 300 && status < 400) return { error: 'redirect', status }
  const wait =
    waitOf(answer.headers['retry-after'], now) ?? (status === 429 ? await waitInBody(answer) : undefined)
  return { error: status === 410 ? 'gone' : 'status', status, ...(wait !== undefined && { wait }) }
}

/** `Retry-After`, in seconds or as a date (RFC 9110 section 10.2.3). @returns milliseconds */
function waitOf(header: string | undefined, now: () => number): number | undefined {
  if (header === undefined) return undefined
  const milliseconds = /^[0-9]{1,9}(\.[0-9]+)?$/.test(header)
    ? Number(header) * 1000
    : Date.parse(header) - now()
  return Number.isNaN(milliseconds) ? undefined : Math.min(maxWait, Math.max(0, milliseconds))
}

/** Discord says in the body, in seconds, how long to wait. */
const limited = v.object({ retry_after: v.pipe(v.number(), v.minValue(0)) })

async function waitInBody(answer: IncomingMessage): Promise<number | undefined> {
  const read = collected(maxAnswer)
  for await (const chunk of answer) if (!read.add(chunk)) return undefined
  const found = readForeign(limited, read.whole())
  return found && Math.min(maxWait, found.retry_after * 1000)
}

function errorOf(error: unknown): TryError {
  if (error instanceof RefusedAddress) return 'refused_address'
  const code = errorCode(error) ?? ''
  return /^(ENOTFOUND|EAI_|ENODATA)/.test(code) ? 'unresolved' : 'no_connection'
}
