import { invalidResponse } from './fetch-error.ts'

/** A response's body while it is received into a buffer. */
export interface Body {
  /** Buffer for the next bytes; never empty. */
  place(): Buffer
  /** @param count bytes written to `place()` @returns the body's length in bytes once it is complete */
  arrived(count: number): number | undefined
  /** The connection ended. @returns the body's length in bytes @throws FetchError `cut` when the body is incomplete */
  closed(): number
}

/** Maximum length of a line between chunks, and of all trailers together. */
const maxLineLength = 4096
const scratchSize = 64 * 1024

/** A body of the length that the head states. */
export function statedBody(into: Buffer, length: number): Body {
  if (length > into.length) throw invalidResponse()
  let received = 0
  return {
    place: () => into.subarray(received, length),
    arrived(count) {
      received += count
      return received === length ? length : undefined
    },
    closed() {
      throw invalidResponse()
    },
  }
}

/** A body that ends with the connection. The spare byte detects a body that is longer than the buffer. */
export function openBody(into: Buffer): Body {
  const spare = Buffer.alloc(1)
  let received = 0
  return {
    place: () => (received < into.length ? into.subarray(received) : spare),
    arrived(count) {
      received += count
      if (received > into.length) throw invalidResponse()
      return undefined
    },
    closed: () => received,
  }
}

/**
 * A chunked body (RFC 9112, 7.1): each chunk is a hexadecimal size and that many bytes. A chunk of size 0 and trailers
 * end the body.
 * @param excess called when bytes follow the end of the body
 */
export function chunkedBody(into: Buffer, excess: () => void): Body {
  const scratch = Buffer.allocUnsafe(scratchSize)
  let received = 0
  let left = 0
  let line = ''
  let trailers = 0
  let expect: 'size' | 'bytes' | 'end of bytes' | 'trailer' = 'size'

  /** @returns whether the line ends the body */
  const lineEnds = (): boolean => {
    const text = line
    line = ''
    if (expect === 'trailer') {
      trailers += text.length
      if (trailers > maxLineLength) throw invalidResponse()
      return text === ''
    }
    if (expect === 'end of bytes') {
      if (text !== '') throw invalidResponse()
      expect = 'size'
      return false
    }
    const size = /^([0-9a-f]{1,8})[ \t]*(?:;.*)?$/i.exec(text)?.[1]
    if (size === undefined) throw invalidResponse()
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
          if (received + size > into.length) throw invalidResponse()
          scratch.copy(into, received, at, at + size)
          received += size
          left -= size
          at += size
          if (left === 0) expect = 'end of bytes'
          continue
        }
        const lineFeed = scratch.indexOf(10, at)
        const until = lineFeed < 0 || lineFeed >= count ? count : lineFeed
        line += scratch.toString('latin1', at, until)
        at = until + 1
        if (line.length > maxLineLength) throw invalidResponse()
        if (until === count) continue
        if (!line.endsWith('\r')) throw invalidResponse()
        line = line.slice(0, -1)
        if (!lineEnds()) continue
        if (at < count) excess()
        return received
      }
      return undefined
    },
    closed() {
      throw invalidResponse()
    },
  }
}
