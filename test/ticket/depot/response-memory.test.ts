/** The memory that the response reader writes a body into. */
import { describe, expect, test } from 'vitest'
import { responseReader } from '../../../ticket/depot/cdn/response.ts'
import { cuts, everyWay, HEAD, ok, ROOM, read, response } from './read-response.ts'

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
