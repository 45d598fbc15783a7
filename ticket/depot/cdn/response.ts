import { type Body, chunkedBody, openBody, statedBody } from './body.ts'
import { invalidResponse } from './fetch-error.ts'

/** The fields of a response's head that describe its body (RFC 9112, 6). */
interface Head {
  readonly status: number
  readonly keepAlive: boolean
  readonly chunked: boolean
  /** Bytes of the body; `undefined` when it ends with the connection. */
  readonly length: number | undefined
}

/** @throws FetchError `cut` when it is not HTTP/1, or the fields about the body's length are invalid or differ */
function readHead(text: string): Head {
  const [line = '', ...fields] = text.split('\r\n')
  const [, minor, status] = /^HTTP\/1\.([01]) (\d{3})(?: |$)/.exec(line) ?? []
  if (minor === undefined) throw invalidResponse()
  let keepAlive = minor === '1'
  let chunked = false
  let length: number | undefined
  for (const field of fields) {
    const colon = field.indexOf(':')
    const value = field.slice(colon + 1).trim()
    switch (field.slice(0, colon).toLowerCase()) {
      case 'content-length': {
        const stated = /^\d{1,15}$/.test(value) ? Number(value) : undefined
        if (stated === undefined || (length !== undefined && length !== stated)) throw invalidResponse()
        length = stated
        break
      }
      case 'transfer-encoding':
        if (chunked || value.toLowerCase() !== 'chunked') throw invalidResponse()
        chunked = true
        break
      case 'connection':
        if (/\bclose\b/i.test(value)) keepAlive = false
        break
    }
  }
  // With both a length and chunks, the chunks count and the connection is not reused (RFC 9112, 6.3).
  if (chunked && length !== undefined) keepAlive = false
  return { status: Number(status), keepAlive, chunked, length: chunked ? undefined : length }
}

/** Reads one HTTP/1.1 response (RFC 9112). The body goes into the caller's buffer, without a copy where possible. */
export type ResponseReader = ReturnType<typeof responseReader>

/** A complete response. */
export interface Received {
  readonly status: number
  /** The part of the buffer that the body fills; empty for a status other than 200. */
  readonly body: Buffer
  /** Another request may be sent on the connection. */
  readonly reusable: boolean
}

/** Bytes. The body of an error up to this size is read and dropped, so that the connection can be reused. */
const maxErrorBody = 64 * 1024

/**
 * @param head buffer for the head and the heads of interim responses (1xx); a longer head is an error
 * @param memory returns a buffer for a body of the stated length (`undefined`: not stated); may throw to refuse it
 */
export function responseReader(head: Buffer, memory: (length: number | undefined) => Buffer) {
  let filled = 0
  let headStart = 0
  let into: Buffer = Buffer.alloc(0)
  let body: Body | undefined
  let status = 0
  let reusable = false

  const whole = (length: number): Received => ({
    status,
    body: into.subarray(0, status === 200 ? length : 0),
    reusable,
  })

  /** Bytes after the body belong to no request, so the connection is not reused. */
  const excess = (): void => {
    reusable = false
  }

  const open = (end: number): Received | undefined => {
    const read = readHead(head.toString('latin1', headStart, end))
    const rest = head.subarray(end + 4, filled)
    status = read.status
    if (status >= 100 && status < 200 && status !== 101) {
      headStart = end + 4
      return take()
    }
    reusable = read.keepAlive && (read.chunked || read.length !== undefined)
    if (status !== 200 && (read.chunked || read.length === undefined || read.length > maxErrorBody)) {
      reusable = false
      return whole(0)
    }
    into = status === 200 ? memory(read.length) : Buffer.allocUnsafe(maxErrorBody)
    body = read.chunked
      ? chunkedBody(into, excess)
      : read.length === undefined
        ? openBody(into)
        : statedBody(into, read.length)
    if (read.length !== 0) return feedBody(body, rest)
    if (rest.length > 0) excess()
    return whole(0)
  }

  /** Passes on the bytes of the body that were received together with the head. */
  const feedBody = (to: Body, bytes: Buffer): Received | undefined => {
    for (let at = 0; at < bytes.length; ) {
      const count = bytes.copy(to.place(), 0, at)
      at += count
      const length = to.arrived(count)
      if (length === undefined) continue
      if (at < bytes.length) excess()
      return whole(length)
    }
    return undefined
  }

  const take = (): Received | undefined => {
    const end = head.subarray(0, filled).indexOf('\r\n\r\n', headStart)
    if (end >= 0) return open(end)
    if (filled === head.length) throw invalidResponse()
    return undefined
  }

  return {
    /** Buffer for the next bytes; never empty. */
    place: () => body?.place() ?? head.subarray(filled),
    /**
     * @param count bytes written to `place()`
     * @returns the response once it is complete
     * @throws FetchError when the response is invalid; errors of `memory`
     */
    arrived(count: number): Received | undefined {
      if (body === undefined) {
        filled += count
        return take()
      }
      const length = body.arrived(count)
      return length === undefined ? undefined : whole(length)
    },
    /**
     * Called when the server has closed the connection.
     * @throws FetchError `cut` when the response is incomplete
     */
    closed(): Received {
      if (body === undefined) throw invalidResponse()
      return whole(body.closed())
    },
  }
}
