/**
 * Copies of backups in S3-compatible storage: one object for each, addressed by path
 * (`https://host/bucket/prefix/name`), which every such storage understands. An object appears when its last byte has
 * arrived, so an aborted upload leaves nothing. Redirects are not followed: a copy goes only to the host that the
 * operator has named.
 */
import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { AwsV4Signer } from 'aws4fetch'
import { isOfBucket } from '../../lib/bucket-answer.ts'
import { causeOfError, silentFor } from '../../lib/failure-cause.ts'
import { collected } from '../../lib/foreign/collected.ts'
import { type SingleRequest, singleRequest } from '../../lib/single-request.ts'
import { CopyError, type CopyStore } from './copy-store.ts'

/** Maximum of bytes of a refusal that are read. */
const largest = 16_384

/** By the code of the storage, see "Error responses" of the Amazon S3 API reference. */
const causes: ReadonlyMap<string, string> = new Map([
  ['RequestTimeTooSkewed', "the clock of this machine differs from the storage's by more than 15 minutes"],
  ['NoSuchBucket', 'the bucket in BACKUP_S3_URL does not exist'],
  ['InvalidAccessKeyId', 'BACKUP_S3_ACCESS_KEY_ID is not known there'],
  ['SignatureDoesNotMatch', 'BACKUP_S3_SECRET_ACCESS_KEY or BACKUP_S3_REGION is wrong'],
  ['AuthorizationHeaderMalformed', 'BACKUP_S3_REGION is wrong'],
  ['AccessDenied', 'the key may not do this there'],
  ['PermanentRedirect', 'the bucket is at another address, which BACKUP_S3_URL has to name'],
  ['NoSuchKey', 'the copy is not there'],
  ['EntityTooLarge', 'the copy is larger than the storage takes'],
  ['QuotaExceeded', 'the storage is full'],
  ['SlowDown', 'the storage limits the request rate'],
])

/**
 * Reads why a call was refused.
 * @returns undefined when it was not: its status is 2xx and nothing of the body has been read; also for a removal of a
 * missing object. Otherwise status and code of the storage, never its own text, which may repeat what was sent.
 */
async function refusalOf(method: string, response: IncomingMessage): Promise<string | undefined> {
  const status = response.statusCode ?? 0
  if (status >= 200 && status < 300)
    return isOfBucket(method, status, response.headers)
      ? undefined
      : `it answered with another protocol (${status}), perhaps a proxy on the way`
  if (status < 200) return `it answered with another protocol (${status})`
  const read = collected(largest)
  for await (const chunk of response as AsyncIterable<Buffer>) if (!read.add(chunk)) break
  const text = Buffer.from(read.whole()).toString('latin1')
  const [, code = ''] = /<Code>([A-Za-z]{1,40})<\/Code>/.exec(text) ?? []
  if (code === '' && status >= 300 && status < 400)
    return `it answered with a redirect (${status}), which is not followed`
  return `${causes.get(code) ?? 'it refused'} (${[status, code].join(' ').trim()})`
}

export interface S3Place {
  /** With the bucket and, after it, the prefix of all names; without a slash at its end. */
  readonly url: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** The one in the host's name, or us-east-1, unless given. */
  readonly region?: string | undefined
}

export interface S3Options {
  /** Milliseconds since 1970. The storage refuses a call whose time is 15 minutes from its own. */
  readonly now: () => number
  /** Milliseconds without a byte in either direction after which a call fails. */
  readonly silence?: number
  /** Milliseconds for a call with so many bytes. */
  readonly budget?: (bytes: number) => number
}

interface Call {
  readonly method: 'PUT' | 'GET' | 'DELETE'
  readonly name: string
  /** Of the content that is sent or expected. */
  readonly bytes: number
  readonly content?: AsyncIterable<Uint8Array>
  readonly signal: AbortSignal
}

/** A minute, and as long as the bytes take at 10 kB a second. */
const slowestLine = (bytes: number) => 60_000 + bytes / 10

export function s3Store(
  place: S3Place,
  { now, silence = 60_000, budget = slowestLine }: S3Options,
): CopyStore {
  /** Makes a call and yields the body of its answer. @throws {CopyError} also for every status but 2xx */
  async function* exchange(call: Call): AsyncGenerator<Uint8Array, void> {
    const { signal, content } = call
    const ended = new AbortController()
    const fail = (words: string) => ended.abort(new CopyError(words))
    const limit = budget(call.bytes)
    const timer = setTimeout(() => fail(`it took longer than ${limit / 1000} s`), limit)
    try {
      const headers = await signedHeaders(place, call, now())
      const limits = { timeout: silence, signal: AbortSignal.any([signal, ended.signal]) }
      const { request, answered } = open(place, call, headers, limits)
      request.on('timeout', () => fail(silentFor(silence).words))
      const sent = content === undefined ? Promise.resolve(request.end()) : pipeline(content, request)
      // A refusal can come before all is sent; the connection is then closed.
      await Promise.race([answered, Promise.all([answered, sent])])
      const response = await answered
      const refusal = await refusalOf(call.method, response)
      if (refusal !== undefined) throw new CopyError(refusal)
      if (content === undefined) {
        yield* response
        return
      }
      // The storage has confirmed the copy, and may close the connection at once: reading it back shows whether it is
      // complete.
      await sent.catch((error: unknown) => {
        if (error instanceof CopyError || ended.signal.aborted || signal.aborted) throw error
      })
    } catch (error) {
      signal.throwIfAborted()
      const reason: unknown = ended.signal.aborted ? ended.signal.reason : error
      throw reason instanceof CopyError ? reason : new CopyError(causeOfError(reason).words)
    } finally {
      clearTimeout(timer)
      ended.abort()
    }
  }

  return {
    write: (name, bytes, content, signal) => drain(exchange({ method: 'PUT', name, bytes, content, signal })),
    read: (name, bytes, signal) => exchange({ method: 'GET', name, bytes, signal }),
    remove: (name, signal) => drain(exchange({ method: 'DELETE', name, bytes: 0, signal })),
  }
}

const addressOf = ({ url }: S3Place, { name }: Call) => `${url}/${encodeURIComponent(name)}`

/** The headers of a call with its signature, which is derived from the secret and does not contain it. */
async function signedHeaders(place: S3Place, call: Call, now: number): Promise<Record<string, string>> {
  const { accessKeyId, secretAccessKey, region } = place
  const signer = new AwsV4Signer({
    method: call.method,
    url: addressOf(place, call),
    service: 's3',
    accessKeyId,
    secretAccessKey,
    ...(region !== undefined && { region }),
    datetime: new Date(now).toISOString().replaceAll(/[:-]|\.\d{3}/g, ''),
  })
  return Object.fromEntries((await signer.sign()).headers)
}

const open = (
  place: S3Place,
  call: Call,
  headers: Record<string, string>,
  limits: { readonly timeout: number; readonly signal: AbortSignal },
): SingleRequest =>
  singleRequest(new URL(addressOf(place, call)), {
    method: call.method,
    headers: { ...headers, ...(call.content !== undefined && { 'content-length': call.bytes }) },
    ...limits,
  })

/** Reads an answer to its end, without using it. */
async function drain(answer: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of answer);
}
