/** A manifest, from its bytes. */
import { createSecretKey } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { manifestCheck } from '../../../ticket/depot/format/check-manifest.ts'
import type { Chunk } from '../../../ticket/depot/format/depot-file.ts'
import { readManifest } from '../../../ticket/depot/format/manifest.ts'
import { depotKey, entryOf, makeDepot, packManifest } from '../../platform/depots.ts'
import { pack } from '../../platform/pack.ts'
import { seededBytes } from '../../platform/seeded.ts'

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

const mebibyte = 2 ** 20
const chunk = (offset: number, more: Partial<Chunk> = {}): Chunk => ({
  sha: `chunk at ${offset}`,
  offset,
  size: 100,
  packed: 128,
  ...more,
})
const judged = (size: number, ...chunks: readonly Chunk[]) => {
  try {
    manifestCheck().file('a', size, chunks)
    return 'taken'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
const refused = 'the manifest\'s chunks do not make up "a"'

describe('the chunks of a file', () => {
  test('cover it exactly, in the order of their offsets', () => {
    expect(judged(250, chunk(0), chunk(100), chunk(200, { size: 50 }))).toBe('taken')
    expect(judged(0)).toBe('taken')
    for (const [size, ...chunks] of [
      [99, chunk(0)],
      [101, chunk(0)],
      [1],
      [0, chunk(0)],
      [300, chunk(0), chunk(200)],
      [200, chunk(1), chunk(101)],
      [200, chunk(0), chunk(99)],
    ] as const)
      expect([size, judged(size, ...chunks)]).toEqual([size, refused])
  })

  test.each<[Partial<Chunk>, string]>([
    [{ size: 16 * mebibyte }, 'taken'],
    [{ size: 16 * mebibyte + 1 }, refused],
    [{ size: 0 }, refused],
    [{ size: -1 }, refused],
    [{ sha: '' }, refused],
    [{ packed: 32 }, 'taken'],
    [{ packed: 16 }, refused],
    [{ packed: 33 }, refused],
    [{ packed: 32 * mebibyte }, 'taken'],
    [{ packed: 32 * mebibyte + 16 }, refused],
  ])('have sizes that a content server can send: %j is %s', (more, expected) => {
    expect(judged(more.size ?? 100, chunk(0, more))).toBe(expected)
  })

  test('with one SHA-1 have one size, in all files', () => {
    const check = manifestCheck()
    check.file('a', 100, [chunk(0, { sha: 'same' })])
    expect(() => check.file('b', 100, [chunk(0, { sha: 'same' })])).not.toThrow()
    expect(() => check.file('c', 50, [chunk(0, { sha: 'same', size: 50 })])).toThrow(
      'the manifest\'s chunks do not make up "c"',
    )
  })
})

test.each([
  ['entry', 100_000, 'the manifest names more than 100000 files'],
  ['chunk', 250_000, 'the manifest names more than 250000 chunks'],
] as const)('there is a largest number of each %s: %i', (what, most, sentence) => {
  const check = manifestCheck()
  for (let count = 0; count < most; count += 1) check[what]()
  expect(() => check[what]()).toThrow(sentence)
})
