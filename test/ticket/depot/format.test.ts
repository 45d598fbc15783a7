/** The binary formats: protobuf, encryption, containers, and names of files. */
import { createSecretKey } from 'node:crypto'
import { crc32, deflateRawSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { decrypt } from '../../../ticket/depot/format/decrypt.ts'
import { readManifest } from '../../../ticket/depot/format/manifest.ts'
import { fields } from '../../../ticket/depot/format/protobuf.ts'
import { parents, printable, safeLinkTarget, safePath } from '../../../ticket/depot/format/safe-path.ts'
import { unpack, unpackChecked } from '../../../ticket/depot/format/unpack.ts'
import { depotKey, entryOf, makeDepot, packManifest } from '../../platform/depots.ts'
import { encrypt, pack, zip } from '../../platform/pack.ts'
import { seededBytes } from '../../platform/seeded.ts'

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

  test('has fields of four kinds, in their order', () => {
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
    ['08 80', 'a number without its end'],
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

  test('whose padding is not what it says is an error', () => {
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

describe('a container', () => {
  const plain = Buffer.concat([Buffer.alloc(3000, 'farm'), seededBytes(3, 500)])

  test.each(['lzma', 'zstd', 'zip'] as const)('%s is unpacked, and its checksum is compared', (format) => {
    const packed = pack(plain, format)
    expect(unpack(packed, plain.length)).toEqual(plain)
    expect(unpackChecked(packed, plain.length)).toEqual(plain)
    expect(() => unpack(packed, plain.length - 1)).toThrow('more data than stated')
  })

  test.each(['lzma', 'zstd', 'zip'] as const)('%s without a byte is one, too', (format) => {
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

  test('of a stored zip entry is taken as it is', () => {
    expect(unpackChecked(zip(plain, 0, crc32(plain), plain.length), plain.length)).toEqual(plain)
    expect(() => unpack(zip(plain, 0, 0, plain.length - 1), plain.length)).toThrow('zip size is wrong')
    expect(() => unpackChecked(zip(plain, 0, 1, plain.length), plain.length)).toThrow('CRC is wrong')
  })

  test('that states another size than it has is an error', () => {
    for (const [format, fromEnd] of [
      ['lzma', 6],
      ['zstd', 11],
    ] as const)
      for (const size of [plain.length - 1, plain.length + 1, 0]) {
        const packed = pack(plain, format)
        packed.writeUInt32LE(size, packed.length - fromEnd)
        // LZMA data does not tell its own size, so that only the checksum shows a smaller one.
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

  test('of a zip whose entry lies outside of it, or is none, is an error', () => {
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

describe('the name of a file', () => {
  test.each([
    ['a', 'a'],
    ['Content\\Maps\\Town.xnb', 'Content/Maps/Town.xnb'],
    ['./a//b/.', 'a/b'],
    ['a..b/...', 'a..b/...'],
    ['n'.repeat(255), 'n'.repeat(255)],
    [`${'d/'.repeat(63)}x`, `${'d/'.repeat(63)}x`],
    ['ab:c', 'ab:c'],
    ['a.download-x', 'a.download-x'],
  ])('%j is %j in the tree', (name, path) => expect(safePath(name)).toBe(path))

  test.each([
    ['a\u0000b', 'control character'],
    ['a\u001fb', 'control character'],
    ['a\u007fb', 'control character'],
    ['/a', 'absolute'],
    ['\\a', 'absolute'],
    ['Z:a', 'drive letter'],
    ['z:', 'drive letter'],
    ['', 'empty'],
    ['./.', 'empty'],
    ['..', 'leaves the directory'],
    ['a/../b', 'leaves the directory'],
    ['n'.repeat(256), 'name too long'],
    ['é'.repeat(128), 'name too long'],
    [`${'d/'.repeat(1024)}xx`, 'path too long'],
    [`${'d/'.repeat(64)}x`, 'too many folders'],
    ['a/.download-lock', 'reserved name'],
  ])('%j is refused: %s', (name, why) => {
    expect(() => safePath(name)).toThrow(`the manifest names a file that is refused (${why}): `)
  })

  test('has the folders above it, outermost first', () => {
    expect([parents('a/b/c'), parents('a')]).toEqual([['a', 'a/b'], []])
  })

  test('is shown in quotes, and cut when it is long', () => {
    expect(printable('a\u001b[2J"b')).toBe('"a\\u001b[2J\\"b"')
    expect(printable('x'.repeat(120))).toBe(`"${'x'.repeat(120)}"`)
    expect(printable('x'.repeat(121))).toBe(`"${'x'.repeat(120)}…"`)
  })
})

describe('the target of a link', () => {
  test.each([
    ['lib/a', 'b', 'b'],
    ['lib/a', '../b', '../b'],
    ['lib/deep/a', '..\\..\\b', '../../b'],
    ['a', './b', './b'],
  ])('of %s may be %s', (path, target, written) => expect(safeLinkTarget(path, target)).toBe(written))

  test.each([
    ['a', '../b'],
    ['lib/a', '../../b'],
    ['lib/a', 'x/../../../lib/b'],
    ['a', './../b'],
    ['a', 'lib/../b'],
    ['a', '/b'],
    ['a', '\\b'],
    ['a', 'C:b'],
    ['a', ''],
    ['a', 'b\u0000'],
    ['a', 'b\u007f'],
  ])('of %s is refused: %j', (path, target) => {
    expect(() => safeLinkTarget(path, target)).toThrow(/^the manifest links "\S+" to ".*", outside the tree$/)
  })
})

describe('a manifest', () => {
  const key = createSecretKey(depotKey(413153))
  const content = seededBytes(5, 250)

  test.each([true, false])('has files, folders and links; names encrypted: %s', (namesEncrypted) => {
    const { manifest } = makeDepot({
      chunkSize: 100,
      namesEncrypted,
      files: [
        { path: 'a\\b', content, flags: 32 },
        { path: 'c', content: Buffer.alloc(0), flags: 128 },
        { path: 'a', flags: 64 },
        { path: 'd', flags: 512, target: 'a/b' },
      ],
    })
    const { depotId, manifestId, files } = readManifest(manifest, key)
    expect([depotId, manifestId]).toEqual([413153, '7123456789012345678'])
    expect(
      files.map(({ path, kind, size, executable, target }) => [path, kind, size, executable, target]),
    ).toEqual([
      ['a/b', 'file', 250, true, ''],
      ['c', 'file', 0, true, ''],
      ['a', 'directory', 0, false, ''],
      ['d', 'link', 0, false, 'a/b'],
    ])
    expect(files[0]?.sha).toMatch(/^[0-9a-f]{40}$/)
    expect(files[0]?.chunks.map(({ offset, size }) => [offset, size])).toEqual([
      [0, 100],
      [100, 100],
      [200, 50],
    ])
    expect(files.slice(1).flatMap(({ chunks }) => chunks)).toEqual([])
  })

  const sections = (...parts: readonly (readonly [magic: number, body: Buffer])[]) =>
    pack(
      Buffer.concat(
        parts.flatMap(([magic, body]) => {
          const head = Buffer.alloc(8)
          head.writeUInt32LE(magic)
          head.writeUInt32LE(body.length, 4)
          return [head, body]
        }),
      ),
      'zip',
    )

  test('that lacks a section, has an unknown one or ends early is an error', () => {
    const empty = Buffer.alloc(0)
    expect(() => readManifest(sections([0x71f617d0, empty]), key)).toThrow('manifest without content')
    expect(() => readManifest(sections([0x1f4812be, empty]), key)).toThrow('manifest without content')
    expect(() => readManifest(sections([0x12345678, empty]), key)).toThrow('unknown manifest section')
    expect(
      readManifest(sections([0x1f4812be, empty], [0x71f617d0, empty], [0x1b81b817, empty]), key),
    ).toEqual({
      depotId: 0,
      manifestId: '0',
      files: [],
    })
    const cut = Buffer.alloc(9)
    cut.writeUInt32LE(0x71f617d0)
    cut.writeUInt32LE(2, 4)
    expect(() => readManifest(pack(cut, 'zip'), key)).toThrow('manifest ends early')
  })

  test('names each path once, and has paths only below folders', () => {
    const named = (...files: readonly { path: string; flags?: number; target?: string }[]) =>
      packManifest({
        depotId: 1,
        manifestId: '1',
        namesEncrypted: false,
        entries: files.map((one) => entryOf(one, Buffer.alloc(0), [], undefined)),
      })
    expect(readManifest(named({ path: 'a', flags: 64 }, { path: 'a/b' }), key).files).toHaveLength(2)
    expect(() => readManifest(named({ path: 'a' }, { path: './a' }), key)).toThrow('twice')
    expect(() => readManifest(named({ path: 'a/b/c' }, { path: 'a' }), key)).toThrow('both as')
    expect(() => readManifest(named({ path: 'l', flags: 512, target: 'x' }, { path: 'l/b' }), key)).toThrow(
      'both as',
    )
  })
})
