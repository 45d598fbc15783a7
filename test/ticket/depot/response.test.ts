/** The response reader alone: its result does not depend on how the network splits the bytes. */
import { describe, expect, test } from 'vitest'
import { FetchError } from '../../../ticket/depot/cdn/fetch-error.ts'
import { responseReader } from '../../../ticket/depot/cdn/response.ts'

const HEAD = 512
const ROOM = 32
/** Bytes after the given memory, which the reader must not change. */
const GUARD = Buffer.alloc(64, 0xee)

type Outcome = { status: number; body: string; reusable: boolean } | 'cut'

/**
 * Feeds one response in pieces; the end of the connection follows if needed. The reader's leftovers reach an idle
 * connection: that one is not used again.
 */
function read(pieces: readonly Buffer[], memory: (room: Buffer) => Buffer = (room) => room): Outcome {
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
function* cuts(bytes: Buffer): Generator<readonly Buffer[]> {
  yield [bytes]
  for (let at = 1; at < bytes.length; at++) yield [bytes.subarray(0, at), bytes.subarray(at)]
  for (let size = 1; size < Math.min(bytes.length, 700); size++)
    yield Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    )
}

function everyWay(text: string): Outcome[] {
  const outcomes = new Map<string, Outcome>()
  for (const pieces of cuts(Buffer.from(text, 'latin1'))) {
    const outcome = read(pieces)
    outcomes.set(JSON.stringify(outcome), outcome)
  }
  return [...outcomes.values()]
}

/** A response's text, with the line ends of the protocol. */
const response = (head: readonly string[], body = ''): string => [...head, '', body].join('\r\n')
const ok = (fields: readonly string[], body = ''): string => response(['HTTP/1.1 200 OK', ...fields], body)
const good = (body: string, reusable = true): Outcome => ({ status: 200, body, reusable })
describe('a response is read the same however its bytes are split:', () => {
  test.each<[string, string, Outcome]>([
    ['a stated length', ok(['Content-Length: 5'], 'wheat'), good('wheat')],
    ['a length that fills the memory', ok(['content-length:32'], 'w'.repeat(32)), good('w'.repeat(32))],
    ['a length that is said twice', ok(['Content-Length: 5', 'Content-Length: 5'], 'wheat'), good('wheat')],
    ['an empty body', ok(['Content-Length: 0']), good('')],
    ['a line end in the body', ok(['Content-Length: 8'], '\r\n\r\n\r\n\r\n'), good('\r\n\r\n\r\n\r\n')],
    [
      'chunks with extensions and trailers',
      ok(
        ['Transfer-Encoding: chunked'],
        '3;a="b"\r\nwhe\r\nA \r\nat and \r\nh\r\n03\r\nops\r\n0;last\r\nX-Sum: 7\r\nX-End: 8\r\n\r\n',
      ),
      good('wheat and \r\nhops'),
    ],
    ['chunks of nothing', ok(['transfer-encoding: Chunked'], '0\r\n\r\n'), good('')],
    ['a body that ends with the connection', ok([], 'wheat'), good('wheat', false)],
    ['an empty body that ends with the connection', ok([]), good('', false)],
    [
      'a body that ends with the connection and fills the memory',
      ok([], 'w'.repeat(32)),
      good('w'.repeat(32), false),
    ],
    [
      'responses of status 1xx before',
      response(['HTTP/1.1 100 Continue']) +
        response(['HTTP/1.1 103 Early Hints', 'Link: </field>', 'Content-Length: 3']) +
        ok(['Content-Length: 5'], 'wheat'),
      good('wheat'),
    ],
    [
      'a 404 with a short body',
      response(['HTTP/1.1 404 Not Found', 'Content-Length: 9'], 'not found'),
      { status: 404, body: '', reusable: true },
    ],
    [
      'a 304 without a body',
      response(['HTTP/1.1 304 Not Modified', 'Content-Length: 0']),
      { status: 304, body: '', reusable: true },
    ],
    ['a status without words', response(['HTTP/1.1 200', 'Content-Length: 1'], 'w'), good('w')],
    ['HTTP/1.0', response(['HTTP/1.0 200 OK', 'Content-Length: 5'], 'wheat'), good('wheat', false)],
    ['Connection: close', ok(['Content-Length: 5', 'Connection: Close'], 'wheat'), good('wheat', false)],
    ['an empty body before the end', ok(['Content-Length: 0', 'Connection: close']), good('', false)],
  ])('%s', (_what, text, outcome) => {
    expect(everyWay(text)).toEqual([outcome])
  })
})

describe('the connection is not reused after', () => {
  test.each<[string, string, Outcome]>([
    ['bytes behind a stated length', ok(['Content-Length: 5'], 'wheat!'), good('wheat', false)],
    ['bytes behind an empty body', ok(['Content-Length: 0'], '!'), good('', false)],
    [
      'bytes behind the last chunk',
      ok(['Transfer-Encoding: chunked'], '1\r\nw\r\n0\r\n\r\n!'),
      good('w', false),
    ],
    [
      'a whole second response',
      ok(['Content-Length: 1'], `w${ok(['Content-Length: 1'], 'x')}`),
      good('w', false),
    ],
    [
      'both a length and chunks; the chunks count',
      ok(['Content-Length: 9', 'Transfer-Encoding: chunked'], '5\r\nwheat\r\n0\r\n\r\n'),
      good('wheat', false),
    ],
    [
      'bytes behind a refusal',
      response(['HTTP/1.1 404 Not Found', 'Content-Length: 2'], 'no!'),
      { status: 404, body: '', reusable: false },
    ],
    [
      'a refusal of unknown length',
      response(['HTTP/1.1 404 Not Found'], 'no'),
      { status: 404, body: '', reusable: false },
    ],
    [
      'a refusal in chunks',
      response(['HTTP/1.1 503 Busy', 'Transfer-Encoding: chunked'], '1\r\nx\r\n0\r\n\r\n'),
      { status: 503, body: '', reusable: false },
    ],
    [
      'an endless refusal',
      response(['HTTP/1.1 403 Forbidden', 'Content-Length: 999999999'], 'no'),
      { status: 403, body: '', reusable: false },
    ],
    [
      'another protocol was switched to',
      response(['HTTP/1.1 101 Switching Protocols', 'Upgrade: farm'], 'moo'),
      { status: 101, body: '', reusable: false },
    ],
  ])('%s', (_what, text, outcome) => {
    expect(everyWay(text)).toEqual([outcome])
  })
})

describe('nothing is written past the end of the memory, and no body is returned, for', () => {
  const chunked = (body: string) => ok(['Transfer-Encoding: chunked'], body)
  test.each<[string, string]>([
    ['no bytes at all', ''],
    ['half a head', 'HTTP/1.1 200 OK\r\nContent-Le'],
    ['an endless head', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(HEAD)}`],
    ['endless interim responses', response(['HTTP/1.1 100 Continue']).repeat(HEAD / 25 + 1)],
    ['a head as long as its room', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(HEAD - 20)}`],
    ['another protocol than HTTP', 'SSH-2.0-OpenSSH_9.9\r\n\r\n'],
    ['HTTP/2', response(['HTTP/2 200', 'Content-Length: 1'], 'w')],
    ['a status that is none', response(['HTTP/1.1 2000 OK', 'Content-Length: 1'], 'w')],
    ['half a body', ok(['Content-Length: 5'], 'whe')],
    ['no body', ok(['Content-Length: 5'])],
    ['a length larger than the memory', ok(['Content-Length: 33'], 'w'.repeat(33))],
    ['a huge length', ok(['Content-Length: 999999999999999'], 'w'.repeat(99))],
    ['a length beyond numbers', ok([`Content-Length: ${'9'.repeat(40)}`], 'w'.repeat(99))],
    ['two different lengths', ok(['Content-Length: 5', 'Content-Length: 6'], 'wheat!')],
    ['two lengths in one', ok(['Content-Length: 5, 5'], 'wheat')],
    ['a negative length', ok(['Content-Length: -5'], 'wheat')],
    ['a length with a sign', ok(['Content-Length: +5'], 'wheat')],
    ['a hexadecimal length', ok(['Content-Length: 0x5'], 'wheat')],
    ['a length with an exponent', ok(['Content-Length: 1e1'], 'wheatwheat')],
    ['a broken length', ok(['Content-Length: 5.0'], 'wheat')],
    ['a length of no digits', ok(['Content-Length:'], 'wheat')],
    ['an unknown transfer-encoding', ok(['Transfer-Encoding: gzip'], 'wheat')],
    ['chunks of another encoding', ok(['Transfer-Encoding: gzip, chunked'], '1\r\nw\r\n0\r\n\r\n')],
    ['chunks in chunks', ok(Array(2).fill('Transfer-Encoding: chunked'), '1\r\nw\r\n0\r\n\r\n')],
    ['an endless body that is larger than the memory', ok([], 'w'.repeat(33))],
    [
      'chunks larger than the memory',
      chunked(`10\r\n${'w'.repeat(16)}\r\n11\r\n${'w'.repeat(17)}\r\n0\r\n\r\n`),
    ],
    ['one chunk of gigabytes', chunked(`ffffffff\r\n${'w'.repeat(99)}`)],
    ['a chunk size beyond numbers', chunked('fffffffff\r\nw\r\n0\r\n\r\n')],
    ['a chunk size in letters', chunked('wheat\r\nw\r\n0\r\n\r\n')],
    ['a chunk size of no digits', chunked('\r\nw\r\n0\r\n\r\n')],
    ['a negative chunk size', chunked('-1\r\nw\r\n0\r\n\r\n')],
    ['a chunk size with a prefix', chunked('0x1\r\nw\r\n0\r\n\r\n')],
    ['two chunk sizes in one line', chunked('1 1\r\nw\r\n0\r\n\r\n')],
    ['a chunk size before a bare line feed', chunked('1\nw\r\n0\r\n\r\n')],
    ['a chunk longer than its size', chunked('1\r\nwheat\r\n0\r\n\r\n')],
    ['a chunk shorter than its size', chunked('5\r\nw\r\n0\r\n\r\n')],
    ['chunks without the last one', chunked('1\r\nw\r\n')],
    ['endless trailers', chunked('0\r\nX-Sum: 7\r\n')],
  ])('%s', (_what, text) => {
    expect(everyWay(text)).toEqual(['cut'])
  })

  test.each([
    ['a line between chunks', '1;', 'x'],
    ['a trailer', '0\r\nX: ', 'x'],
    ['one trailer after another', '0\r\n', 'X: 1\r\n'],
  ])('endless %s are refused', (_what, start, more) => {
    const endless = Buffer.from(chunked(start + more.repeat(100_000)))
    const pieces = (size: number) => [endless.subarray(0, size), endless.subarray(size)]
    for (const size of [1, 70, 200, 5000, 70_000]) expect(read(pieces(size))).toBe('cut')
  })
})

test('the error of a refused length reaches the caller', () => {
  const refuse = (): Buffer => {
    throw new RangeError('too much')
  }
  for (const pieces of cuts(Buffer.from(ok(['Content-Length: 5'], 'wheat'))))
    expect(() => read(pieces, refuse)).toThrow(RangeError)
})

test('the memory is requested once, with the length, and not for a refused response', () => {
  const asked = (text: string) => {
    const lengths: (number | undefined)[] = []
    const reader = responseReader(Buffer.alloc(HEAD), (length) => {
      lengths.push(length)
      return Buffer.alloc(ROOM)
    })
    reader.arrived(reader.place().write(text))
    return lengths
  }
  expect(asked(ok(['Content-Length: 5'], 'wh'))).toEqual([5])
  expect(asked(ok(['Transfer-Encoding: chunked'], '1\r\nw'))).toEqual([undefined])
  expect(asked(ok([], 'wh'))).toEqual([undefined])
  expect(asked(response(['HTTP/1.1 404 Not Found', 'Content-Length: 2'], 'no'))).toEqual([])
})

test('a body with a length is received directly in the given memory, and not beyond it', () => {
  const room = Buffer.alloc(ROOM)
  const reader = responseReader(Buffer.alloc(HEAD), () => room)
  reader.arrived(reader.place().write(ok(['Content-Length: 5'])))
  const place = reader.place()
  expect([place.buffer, place.byteOffset, place.length]).toEqual([room.buffer, room.byteOffset, 5])
})
