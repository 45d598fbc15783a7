import { FetchError } from './fetch-error.ts'

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

/** Longest line between chunks. */
const LINE_SIZE = 4096
/** A refusal's body up to this size is read and dropped, so that the connection lives on. */
const REFUSAL_SIZE = 64 * 1024
const SCRATCH_SIZE = 64 * 1024

interface Body {
  place(): Buffer
  /** @returns the body's length, once it is whole */
  arrived(count: number): number | undefined
  closed(): number
}

/**
 * @param head room for the longest head that is taken
 * @param memory gives room for a body of the stated length (`undefined`: not stated); may throw to refuse it
 */
export function responseReader(head: Buffer, memory: (length: number | undefined) => Buffer): ResponseReader {
  let filled = 0
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
    const read = readHead(head.toString('latin1', 0, end))
    const rest = head.subarray(end + 4, filled)
    status = read.status
    if (status >= 100 && status < 200 && status !== 101) {
      head.copyWithin(0, end + 4, filled)
      filled = rest.length
      return take()
    }
    reusable = read.keepAlive && (read.chunked || read.length !== undefined)
    if (status !== 200 && (read.chunked || read.length === undefined || read.length > REFUSAL_SIZE)) {
      reusable = false
      return whole(0)
    }
    into = status === 200 ? memory(read.length) : Buffer.allocUnsafe(REFUSAL_SIZE)
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
    const end = head.subarray(0, filled).indexOf('\r\n\r\n')
    if (end >= 0) return open(end)
    if (filled === head.length) throw new FetchError({ kind: 'cut' })
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
      if (body === undefined) throw new FetchError({ kind: 'cut' })
      return whole(body.closed())
    },
  }
}

interface Head {
  readonly status: number
  readonly keepAlive: boolean
  readonly chunked: boolean
  /** Bytes of the body; `undefined` when it ends with the connection. */
  readonly length: number | undefined
}

function readHead(text: string): Head {
  const [line = '', ...fields] = text.split('\r\n')
  const [, minor, status] = /^HTTP\/1\.([01]) (\d{3})(?: |$)/.exec(line) ?? []
  if (minor === undefined) throw new FetchError({ kind: 'cut' })
  let keepAlive = minor === '1'
  let chunked = false
  let length: number | undefined
  for (const field of fields) {
    const colon = field.indexOf(':')
    const value = field.slice(colon + 1).trim()
    switch (field.slice(0, colon).toLowerCase()) {
      case 'content-length': {
        const stated = /^\d{1,15}$/.test(value) ? Number(value) : undefined
        if (stated === undefined || (length !== undefined && length !== stated))
          throw new FetchError({ kind: 'cut' })
        length = stated
        break
      }
      case 'transfer-encoding':
        if (chunked || value.toLowerCase() !== 'chunked') throw new FetchError({ kind: 'cut' })
        chunked = true
        break
      case 'connection':
        if (/\bclose\b/i.test(value)) keepAlive = false
        break
    }
  }
  // A length beside chunks is a sign of a confused or hostile sender (RFC 9112, 6.3): the chunks count, once.
  if (chunked && length !== undefined) keepAlive = false
  return { status: Number(status), keepAlive, chunked, length: chunked ? undefined : length }
}

function statedBody(into: Buffer, length: number): Body {
  if (length > into.length) throw new FetchError({ kind: 'cut' })
  let received = 0
  return {
    place: () => into.subarray(received, length),
    arrived(count) {
      received += count
      return received === length ? length : undefined
    },
    closed() {
      throw new FetchError({ kind: 'cut' })
    },
  }
}

/** Ends with the connection. One spare byte tells a body that fits from one that is too long. */
function openBody(into: Buffer): Body {
  const spare = Buffer.alloc(1)
  let received = 0
  return {
    place: () => (received < into.length ? into.subarray(received) : spare),
    arrived(count) {
      received += count
      if (received > into.length) throw new FetchError({ kind: 'cut' })
      return undefined
    },
    closed: () => received,
  }
}

/**
 * RFC 9112, 7.1: a size in hexadecimal, that many bytes, again and again; a size of 0 and trailers end it.
 * @param excess called when bytes came behind the end
 */
function chunkedBody(into: Buffer, excess: () => void): Body {
  const scratch = Buffer.allocUnsafe(SCRATCH_SIZE)
  let received = 0
  let left = 0
  let line = ''
  let expect: 'size' | 'bytes' | 'end of bytes' | 'trailer' = 'size'

  /** @returns whether the line ends the body */
  const lineEnds = (): boolean => {
    const text = line
    line = ''
    if (expect === 'trailer') return text === ''
    if (expect === 'end of bytes') {
      if (text !== '') throw new FetchError({ kind: 'cut' })
      expect = 'size'
      return false
    }
    const size = /^([0-9a-f]{1,8})[ \t]*(?:;.*)?$/i.exec(text)?.[1]
    if (size === undefined) throw new FetchError({ kind: 'cut' })
    left = Number.parseInt(size, 16)
    expect = left === 0 ? 'trailer' : 'bytes'
    return false
  }

  return {
    place: () => scratch,
    arrived(count) {
      for (let at = 0; at < count; ) {
        if (expect === 'bytes') {
          const size = Math.min(left, count - at)
          if (received + size > into.length) throw new FetchError({ kind: 'cut' })
          scratch.copy(into, received, at, at + size)
          received += size
          left -= size
          at += size
          if (left === 0) expect = 'end of bytes'
          continue
        }
        const feed = scratch.indexOf(10, at)
        const until = feed < 0 || feed >= count ? count : feed
        line += scratch.toString('latin1', at, until)
        at = until + 1
        if (line.length > LINE_SIZE) throw new FetchError({ kind: 'cut' })
        if (until === count) continue
        if (!line.endsWith('\r')) throw new FetchError({ kind: 'cut' })
        line = line.slice(0, -1)
        if (!lineEnds()) continue
        if (at < count) excess()
        return received
      }
      return undefined
    },
    closed() {
      throw new FetchError({ kind: 'cut' })
    },
  }
}
