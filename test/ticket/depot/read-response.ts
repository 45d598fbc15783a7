/** Feeds a response to the reader, split in every way that the network can. */
import { expect } from 'vitest'
import { FetchError } from '../../../ticket/depot/cdn/fetch-error.ts'
import { responseReader } from '../../../ticket/depot/cdn/response.ts'

export const HEAD = 512
export const ROOM = 32
/** Bytes after the given memory, which the reader must not change. */
const GUARD = Buffer.alloc(64, 0xee)

export type Outcome = { status: number; body: string; reusable: boolean } | 'cut'

/**
 * Feeds one response in pieces; the end of the connection follows if needed. The reader's leftovers reach an idle
 * connection: that one is not used again.
 */
export function read(pieces: readonly Buffer[], memory: (room: Buffer) => Buffer = (room) => room): Outcome {
  const room = Buffer.concat([Buffer.alloc(ROOM), GUARD])
  const reader = responseReader(Buffer.alloc(HEAD), () => memory(room.subarray(0, ROOM)))
  const feed = () => {
    const rest = [...pieces]
    for (let piece = rest.shift(); piece !== undefined; piece = rest.shift()) {
      while (piece.length > 0) {
        const count = piece.copy(reader.place())
        if (count === 0) throw new Error('the reader has no place')
        piece = piece.subarray(count)
        const received = reader.arrived(count)
        if (received !== undefined) return { ...received, left: piece.length + rest.length > 0 }
      }
    }
    return { ...reader.closed(), left: false }
  }
  try {
    const { status, body, reusable, left } = feed()
    return { status, body: body.toString(), reusable: reusable && !left }
  } catch (error) {
    if (error instanceof FetchError && error.kind === 'cut') return 'cut'
    throw error
  } finally {
    expect(room.subarray(ROOM)).toEqual(GUARD)
  }
}

/** At once, in two pieces at every cut, and in pieces of every size down to single bytes. */
export function* cuts(bytes: Buffer): Generator<readonly Buffer[]> {
  yield [bytes]
  for (let at = 1; at < bytes.length; at++) yield [bytes.subarray(0, at), bytes.subarray(at)]
  for (let size = 1; size < Math.min(bytes.length, 700); size++)
    yield Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    )
}

export function everyWay(text: string): Outcome[] {
  const outcomes = new Map<string, Outcome>()
  for (const pieces of cuts(Buffer.from(text, 'latin1'))) {
    const outcome = read(pieces)
    outcomes.set(JSON.stringify(outcome), outcome)
  }
  return [...outcomes.values()]
}

/** A response's text, with the line ends of the protocol. */
export const response = (head: readonly string[], body = ''): string => [...head, '', body].join('\r\n')
export const ok = (fields: readonly string[], body = ''): string =>
  response(['HTTP/1.1 200 OK', ...fields], body)
export const good = (body: string, reusable = true): Outcome => ({ status: 200, body, reusable })
