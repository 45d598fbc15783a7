import { FetchError } from './fetch-error.ts'

/** A response's body on its way into memory. */
export interface Body {
  /** Where the next bytes must be put; never empty. */
  place(): Buffer
  /** @returns the body's length, once it is whole */
  arrived(count: number): number | undefined
  /** The connection ended. @returns the body's length @throws FetchError unless that ends the body */
  closed(): number
}

/** Longest line between chunks, and most that may come behind the last one. */
const maxLineLength = 4096
const scratchSize = 64 * 1024

/** As long as the head says. */
export function statedBody(into: Buffer, length: number): Body {
  if (length > into.length) throw new FetchError('cut')
  let received = 0
  return {
    place: () => into.subarray(received, length),
    arrived(count) {
      received += count
      return received === length ? length : undefined
    },
    closed() {
      throw new FetchError('cut')
    },
  }
}

/** Ends with the connection. One spare byte tells a body that fits from one that is too long. */
export function openBody(into: Buffer): Body {
  const spare = Buffer.alloc(1)
  let received = 0
  return {
    place: () => (received < into.length ? into.subarray(received) : spare),
    arrived(count) {
      received += count
      if (received > into.length) throw new FetchError('cut')
      return undefined
    },
    closed: () => received,
  }
}

/**
 * RFC 9112, 7.1: a size in hexadecimal, that many bytes, again and again; a size of 0 and trailers end it.
 * @param excess called when bytes came behind the end
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
      if (trailers > maxLineLength) throw new FetchError('cut')
      return text === ''
    }
    if (expect === 'end of bytes') {
      if (text !== '') throw new FetchError('cut')
      expect = 'size'
      return false
    }
    const size = /^([0-9a-f]{1,8})[ \t]*(?:;.*)?$/i.exec(text)?.[1]
    if (size === undefined) throw new FetchError('cut')
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
          if (received + size > into.length) throw new FetchError('cut')
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
        if (line.length > maxLineLength) throw new FetchError('cut')
        if (until === count) continue
        if (!line.endsWith('\r')) throw new FetchError('cut')
        line = line.slice(0, -1)
        if (!lineEnds()) continue
        if (at < count) excess()
        return received
      }
      return undefined
    },
    closed() {
      throw new FetchError('cut')
    },
  }
}
