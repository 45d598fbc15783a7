import { type Body, chunkedBody, openBody, statedBody } from './body.ts'
import { FetchError } from './fetch-error.ts'
import { readHead } from './head.ts'

/** Reads one HTTP/1.1 response (RFC 9112) whose body lands in its own memory, without a copy where that can be. */
export interface ResponseReader {
  /** Where the next bytes must be put; never empty. */
  place(): Buffer
  /**
   * So many bytes now lie there.
   * @returns the response, once it is whole
   * @throws FetchError when it is not HTTP or not what it says; whatever `memory` throws
   */
  arrived(count: number): Received | undefined
  /**
   * The server has closed the connection.
   * @throws FetchError unless that ends the response
   */
  closed(): Received
}

/** A whole response. */
export interface Received {
  readonly status: number
  /** The part of the memory that it fills; empty for a status other than 200. */
  readonly body: Buffer
  /** Another request may be sent on the connection. */
  readonly reusable: boolean
}

/** A refusal's body up to this size is read and dropped, so that the connection lives on. */
const maxErrorBody = 64 * 1024

/**
 * @param head room for the longest head that is taken, those of interim responses (1xx) included
 * @param memory gives room for a body of the stated length (`undefined`: not stated); may throw to refuse it
 */
export function responseReader(head: Buffer, memory: (length: number | undefined) => Buffer): ResponseReader {
  let filled = 0
  let began = 0
  let into: Buffer = Buffer.alloc(0)
  let body: Body | undefined
  let status = 0
  let reusable = false

  const whole = (length: number): Received => ({
    status,
    body: into.subarray(0, status === 200 ? length : 0),
    reusable,
  })

  /** Nothing was asked for that bytes behind the body could belong to. */
  const excess = (): void => {
    reusable = false
  }

  const open = (end: number): Received | undefined => {
    const read = readHead(head.toString('latin1', began, end))
    const rest = head.subarray(end + 4, filled)
    status = read.status
    if (status >= 100 && status < 200 && status !== 101) {
      began = end + 4
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
    if (read.length !== 0) return pour(body, rest)
    if (rest.length > 0) excess()
    return whole(0)
  }

  /** The first bytes of the body came with the head. */
  const pour = (to: Body, bytes: Buffer): Received | undefined => {
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
    const end = head.subarray(0, filled).indexOf('\r\n\r\n', began)
    if (end >= 0) return open(end)
    if (filled === head.length) throw new FetchError('cut')
    return undefined
  }

  return {
    place: () => body?.place() ?? head.subarray(filled),
    arrived(count) {
      if (body === undefined) {
        filled += count
        return take()
      }
      const length = body.arrived(count)
      return length === undefined ? undefined : whole(length)
    },
    closed() {
      if (body === undefined) throw new FetchError('cut')
      return whole(body.closed())
    },
  }
}
