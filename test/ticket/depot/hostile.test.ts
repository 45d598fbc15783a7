import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateRawSync, zstdCompressSync } from 'node:zlib'
import { lzma } from '@napi-rs/lzma'
import { expect, test } from 'vitest'
import { unpack } from '../../../ticket/depot/format/unpack.ts'
import { type FileSpec, makeDepot } from '../../platform/depots.ts'
import { encrypt, pack, zip } from '../../platform/pack.ts'
import { seededBytes, seededRandom } from '../../platform/seeded.ts'
import { farm, newFolder, tree } from './farm.ts'

const content = Buffer.from('hostile')

async function refused(...files: FileSpec[]): Promise<string> {
  const directory = join(newFolder(), 'deep', 'game')
  mkdirSync(directory, { recursive: true })
  const { download } = await farm(makeDepot({ files: [{ path: 'good', content }, ...files] }), directory)
  const error: unknown = await download().then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toMatchObject({ kind: 'manifest' })
  // Nothing is written, neither next to the directory nor in it.
  expect(tree(join(directory, '../..'))).toEqual({})
  return String(error)
}

// The tables of refused paths and links are in safe-path.test.ts, read-manifest.test.ts.
test.each([
  ['a path', { path: '../evil', content }, 'leaves the directory'],
  ['a link', { path: 'lib/x', flags: 512, target: '../../outside' }, 'outside the tree'],
  ['a file as a folder', { path: 'good/y', content }, 'both as'],
  ['a file twice', { path: './good', content }, 'twice'],
])('a download whose manifest has %s that is refused writes nothing', async (_what, file, why) => {
  expect(await refused(file)).toContain(why)
})

test('a file at the path of a directory is refused and not changed', async () => {
  const { download, directory } = await farm(makeDepot({ files: [{ path: 'a/b', content }] }))
  writeFileSync(join(directory, 'a'), 'mine')
  await expect(download()).rejects.toMatchObject({ kind: 'conflict' })
  expect(readFileSync(join(directory, 'a'), 'utf8')).toBe('mine')
})

test('a folder with unknown files at the path of a file is refused and not changed', async () => {
  const { download, directory } = await farm(makeDepot({ files: [{ path: 'a', content }] }))
  mkdirSync(join(directory, 'a'))
  writeFileSync(join(directory, 'a/mine'), 'mine')
  await expect(download()).rejects.toMatchObject({ kind: 'conflict' })
  expect(readFileSync(join(directory, 'a/mine'), 'utf8')).toBe('mine')
})

test('a downloaded file is replaced with a folder, and a folder with a file, when the manifest says so', async () => {
  const { download, directory, publish } = await farm(
    makeDepot({
      files: [
        { path: 'a', content },
        { path: 'b/c', content },
      ],
    }),
  )
  await download()
  publish(
    makeDepot({
      files: [
        { path: 'a/x', content },
        { path: 'b', content },
      ],
      manifestId: '2',
    }),
  )
  await download()
  expect(Object.keys(tree(directory))).toEqual(['a/x', 'b'])
})

test('a link in the game directory that leads outside is not followed', async () => {
  const outside = newFolder()
  const { download, directory } = await farm(makeDepot({ files: [{ path: 'Content/a', content }] }))
  symlinkSync(outside, join(directory, 'Content'))
  await expect(download()).rejects.toMatchObject({ kind: 'conflict' })
  expect(existsSync(join(outside, 'a'))).toBe(false)
})

test('a symlink at the path of a file is replaced, and its target is not written', async () => {
  const outside = join(newFolder(), 'precious')
  writeFileSync(outside, 'precious')
  const { download, directory } = await farm(makeDepot({ files: [{ path: 'a', content }] }))
  symlinkSync(outside, join(directory, 'a'))
  await download()
  expect(readFileSync(outside, 'utf8')).toBe('precious')
  expect(readFileSync(join(directory, 'a'))).toEqual(content)
})

const BOMB = 64 * 2 ** 20

/** Compressed data that is larger than its stated size, in each container. */
const bombs: readonly [string, Buffer][] = [
  ['lzma', vz(lzma.compressSync(Buffer.alloc(4 * 2 ** 20)), 1000)],
  ['lzma with an absurd window', vz(hugeWindow(lzma.compressSync(Buffer.alloc(4 * 2 ** 20))), 1000)],
  ['lzma that says so', vz(lzma.compressSync(Buffer.alloc(2 ** 20)), 2 ** 20)],
  ['zstd', vsz(zstdCompressSync(Buffer.alloc(BOMB)), 1000)],
  ['zstd that says so', vsz(zstdCompressSync(Buffer.alloc(BOMB)), BOMB)],
  ['zip', zip(deflateRawSync(Buffer.alloc(BOMB)), 8, 0, 1000)],
  ['zip that says so', zip(deflateRawSync(Buffer.alloc(BOMB)), 8, 0, BOMB)],
  ['zip of a stored body', zip(Buffer.alloc(2 ** 20), 0, 0, 2 ** 20)],
]

test.each(bombs)("hostile compressed data never exceeds the chunk's stated size: %s", (_what, packed) => {
  let size = 0
  try {
    size = unpack(packed, 1000).length
  } catch {
    // The download can refuse the file too.
  }
  expect(size).toBeLessThanOrEqual(1000)
})

test('a container with any damage ends in an error', () => {
  const random = seededRandom(7)
  const plain = seededBytes(3, 5000)
  for (const format of ['lzma', 'zstd', 'zip'] as const) {
    const packed = pack(plain, format)
    expect(unpack(packed, plain.length)).toEqual(plain)
    for (let round = 0; round < 200; round++) {
      const damaged = Buffer.from(
        packed.subarray(0, random() < 0.3 ? Math.floor(random() * packed.length) : packed.length),
      )
      for (let flips = 0; flips < 3; flips++)
        damaged[Math.floor(random() * damaged.length)] = Math.floor(random() * 256)
      try {
        expect(unpack(damaged, plain.length).length).toBeLessThanOrEqual(plain.length)
      } catch (error) {
        expect(error).toBeInstanceOf(Error)
      }
    }
  }
})

test('a decompression bomb from a content server is rejected, and the chunk is fetched again', async () => {
  const depot = makeDepot({ files: [{ path: 'a', content: seededBytes(1, 1000) }] })
  const { download, directory, cdn } = await farm(depot)
  const bomb = encrypt(vsz(zstdCompressSync(Buffer.alloc(BOMB)), BOMB), depot.key)
  let given = 0
  cdn.knobs.fault = ({ kind }) =>
    kind === 'chunk' && given++ === 0 ? { do: 'replace', body: bomb } : undefined
  await download()
  expect(readFileSync(join(directory, 'a'))).toEqual(seededBytes(1, 1000))
})

function vz(alone: Buffer, size: number): Buffer {
  const foot = Buffer.alloc(10)
  foot.writeUInt32LE(size, 4)
  foot.write('zv', 8)
  return Buffer.concat([Buffer.from('VZa\0\0\0\0'), alone.subarray(0, 5), alone.subarray(13), foot])
}

function hugeWindow(alone: Buffer): Buffer {
  const changed = Buffer.from(alone)
  changed.writeUInt32LE(0xffffffff, 1)
  return changed
}

function vsz(frame: Buffer, size: number): Buffer {
  const foot = Buffer.alloc(15)
  foot.writeUInt32LE(crc32(Buffer.alloc(1)), 0)
  foot.writeUInt32LE(size, 4)
  foot.write('zsv', 12)
  return Buffer.concat([Buffer.from('VSZa\0\0\0\0'), frame, foot])
}
