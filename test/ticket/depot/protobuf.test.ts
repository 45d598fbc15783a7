/** The protobuf messages in manifests. */
import { describe, expect, test } from 'vitest'
import { fields } from '../../../ticket/depot/format/protobuf.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
const read = (text: string) =>
  [...fields(hex(text))].map(({ id, number, bytes }) => [id, number, bytes.toString('hex')])

describe('a protobuf message', () => {
  test('has numbers of any size up to 64 bits', () => {
    expect(read('08 00')).toEqual([[1, 0n, '']])
    expect(read('08 7f')).toEqual([[1, 127n, '']])
    expect(read('08 96 01')).toEqual([[1, 150n, '']])
    expect(read('08 ff ff ff 7f')).toEqual([[1, 2n ** 28n - 1n, '']])
    expect(read('08 80 80 80 80 01')).toEqual([[1, 2n ** 28n, '']])
    expect(read('08 ff ff ff ff ff ff ff ff ff 01')).toEqual([[1, 2n ** 64n - 1n, '']])
    expect(read('08 80 80 80 80 80 80 80 80 80 02')).toEqual([[1, 0n, '']])
  })

  test('has fields of four kinds, in order', () => {
    expect(
      read('11 01 00 00 00 00 00 00 80 | 1a 02 ab cd | 25 02 00 00 80 | a0 06 05'.replaceAll('|', '')),
    ).toEqual([
      [2, 2n ** 63n + 1n, ''],
      [3, 0n, 'abcd'],
      [4, 2n ** 31n + 2n, ''],
      [100, 5n, ''],
    ])
    expect(read('')).toEqual([])
    expect(read('1a 00')).toEqual([[3, 0n, '']])
  })

  test.each([
    ['08', 'a tag without its number'],
    ['08 80', 'a truncated number'],
    ['1a 03 ab cd', 'fewer bytes than it says'],
    ['11 01 00 00 00 00 00 00', 'seven of eight bytes'],
    ['25 01 00 00', 'three of four bytes'],
    ['08 ff ff ff ff ff ff ff ff ff ff 01', 'a number of eleven bytes'],
    ['0b', 'a group'],
    ['0e', 'an unknown kind'],
  ])('that ends early or is malformed is an error: %s, %s', (text) => {
    expect(() => read(text)).toThrow(RangeError)
  })
})
