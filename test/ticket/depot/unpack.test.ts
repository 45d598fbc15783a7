/** The containers in which chunks and manifests are compressed. */
import { crc32, deflateRawSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { unpack, unpackChecked } from '../../../ticket/depot/format/unpack.ts'
import { pack, zip } from '../../platform/pack.ts'
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
