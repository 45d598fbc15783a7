/** The containers in which chunks and manifests are compressed. */

import { createSecretKey } from 'node:crypto'
import { crc32, deflateRawSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { decrypt } from '../../../ticket/depot/format/decrypt.ts'
import { fields } from '../../../ticket/depot/format/protobuf.ts'
import { unpack, unpackChecked } from '../../../ticket/depot/format/unpack.ts'
import { depotKey } from '../../platform/depots.ts'
import { encrypt, pack, zip } from '../../platform/pack.ts'
import { seededBytes } from '../../platform/seeded.ts'

describe('a container', () => {
  const plain = Buffer.concat([Buffer.alloc(3000, 'farm'), seededBytes(3, 500)])

  test.each(['lzma', 'zstd', 'zip'] as const)('%s is unpacked, and its checksum is compared', (format) => {
    const packed = pack(plain, format)
    expect(unpack(packed, plain.length)).toEqual(plain)
    expect(unpackChecked(packed, plain.length)).toEqual(plain)
    expect(() => unpack(packed, plain.length - 1)).toThrow('more data than stated')
  })

  test.each(['lzma', 'zstd', 'zip'] as const)('%s without a byte is valid, too', (format) => {
    expect(unpack(pack(Buffer.alloc(0), format), 0)).toEqual(Buffer.alloc(0))
  })

  test.each([
    ['lzma', 10],
    ['zstd', 15],
  ] as const)('%s with another checksum is an error only where it is checked', (format, fromEnd) => {
    const packed = pack(plain, format)
    packed[packed.length - fromEnd] = (packed[packed.length - fromEnd] ?? 0) ^ 1
    expect(unpack(packed, plain.length)).toEqual(plain)
    expect(() => unpackChecked(packed, plain.length)).toThrow('CRC is wrong')
  })

  test('of a stored zip entry is unchanged', () => {
    expect(unpackChecked(zip(plain, 0, crc32(plain), plain.length), plain.length)).toEqual(plain)
    expect(() => unpack(zip(plain, 0, 0, plain.length - 1), plain.length)).toThrow('zip size is wrong')
    expect(() => unpackChecked(zip(plain, 0, 1, plain.length), plain.length)).toThrow('CRC is wrong')
  })

  test('with a wrong size is an error', () => {
    for (const [format, fromEnd] of [
      ['lzma', 6],
      ['zstd', 11],
    ] as const)
      for (const size of [plain.length - 1, plain.length + 1, 0]) {
        const packed = pack(plain, format)
        packed.writeUInt32LE(size, packed.length - fromEnd)
        // LZMA data does not have its own size, so only the checksum reveals a smaller one.
        expect(() => unpackChecked(packed, 2 ** 20)).toThrow()
        if (format === 'zstd') expect(() => unpack(packed, 2 ** 20)).toThrow()
      }
    const body = deflateRawSync(plain)
    for (const size of [plain.length - 1, plain.length + 1])
      expect(() => unpack(zip(body, 8, crc32(plain), size), 2 ** 20)).toThrow()
  })

  test.each([
    ['unknown compression', Buffer.from('RAR!')],
    ['unknown compression', Buffer.alloc(0)],
    ['LZMA footer', Buffer.from('VZa too short')],
    ['LZMA footer', Buffer.concat([Buffer.from('VZa'), Buffer.alloc(40)])],
    ['zstd footer', Buffer.from('VSZa too short')],
    ['zstd footer', Buffer.concat([Buffer.from('VSZa'), Buffer.alloc(40)])],
    ['zip directory', Buffer.from('PK\x03\x04 and no end', 'latin1')],
    ['zip method', zip(plain, 1, 0, plain.length)],
  ])('that is damaged is an error: %s', (message, packed) => {
    expect(() => unpack(packed, 2 ** 20)).toThrow(message)
  })

  test('of a zip with an invalid entry, or one outside of it, is an error', () => {
    const packed = pack(plain, 'zip')
    const directory = packed.lastIndexOf('PK\x01\x02', undefined, 'latin1')
    const longer = Buffer.from(packed)
    longer.writeUInt32LE(packed.length, directory + 20)
    expect(() => unpack(longer, 2 ** 20)).toThrow('zip ends early')
    const other = Buffer.from(packed)
    other.write('no', directory)
    expect(() => unpack(other, 2 ** 20)).toThrow('zip entry')
  })
})

describe('encrypted data', () => {
  const key = createSecretKey(depotKey(1))
  const plainOf = (length: number) => seededBytes(7, length)

  test.each([0, 1, 15, 16, 17, 1000])('of %i bytes is decrypted', (length) => {
    expect(decrypt(encrypt(plainOf(length), depotKey(1)), key)).toEqual(plainOf(length))
  })

  test('of a wrong length is an error, and so is a wrong key', () => {
    const packed = encrypt(plainOf(40), depotKey(1))
    for (const length of [0, 16, 31, packed.length - 1])
      expect(() => decrypt(packed.subarray(0, length), key)).toThrow('encrypted length is wrong')
    expect(() => decrypt(packed, createSecretKey(depotKey(2)))).toThrow('padding is wrong')
  })

  test('with wrong padding is an error', () => {
    // The last block decrypts to other bytes when the block before it is changed.
    const packed = encrypt(plainOf(40), depotKey(1))
    for (const [at, what] of [
      [packed.length - 17, 0xff],
      [packed.length - 17, 0x08],
      [packed.length - 18, 0x01],
    ] as const) {
      const damaged = Buffer.from(packed)
      damaged[at] = (damaged[at] ?? 0) ^ what
      expect(() => decrypt(damaged, key)).toThrow('padding is wrong')
    }
  })
})

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
