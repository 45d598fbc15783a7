import { createSecretKey } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Manifest, readManifest } from '../../../ticket/depot/format/manifest.ts'
import { depotKey, makeDepot, packManifest } from '../../platform/depots.ts'
import { seededBytes } from '../../platform/seeded.ts'
import { farm } from './farm.ts'

const key = createSecretKey(depotKey(1))
const sha = (number: number): Buffer => seededBytes(number, 20)

interface ChunkEntry {
  readonly sha: Buffer
  readonly offset: number
  readonly cb_original: number
  readonly cb_compressed: number
}

const chunk = (number: number, offset: number, size = 100): ChunkEntry => ({
  sha: sha(number),
  offset,
  cb_original: size,
  cb_compressed: 128,
})

interface FileEntry {
  readonly filename: string
  readonly size: number
  readonly chunks?: readonly ChunkEntry[]
}

function read(...entries: FileEntry[]): Manifest {
  return readManifest(packManifest({ depotId: 1, manifestId: '1', namesEncrypted: false, entries }), key)
}

const file = (size: number, ...chunks: ChunkEntry[]): FileEntry => ({ filename: 'a', size, chunks })

test('a manifest whose chunks cover each file exactly is read, in any order of the chunks', () => {
  const { files } = read(file(250, chunk(2, 100), chunk(3, 200, 50), chunk(1, 0)), { filename: 'b', size: 0 })
  expect(files.map(({ path, size, chunks }) => [path, size, chunks.map(({ offset }) => offset)])).toEqual([
    ['a', 250, [0, 100, 200]],
    ['b', 0, []],
  ])
})

test.each<[string, FileEntry]>([
  ['a gap', file(300, chunk(1, 0), chunk(2, 200))],
  ['a gap before the first', file(100, chunk(1, 100))],
  ['an overlap', file(150, chunk(1, 0), chunk(2, 50))],
  ['the same place twice', file(100, chunk(1, 0), chunk(2, 0))],
  ['a chunk behind full coverage', file(100, chunk(1, 0), chunk(2, 4.8e9))],
  ['a chunk of impossible size behind full coverage', file(100, chunk(1, 0), chunk(2, 100, 4e9))],
  [
    'a chunk without a SHA-1 behind full coverage',
    file(100, chunk(1, 0), { ...chunk(2, 100), sha: Buffer.alloc(0) }),
  ],
  ['more than the file', file(50, chunk(1, 0))],
  ['less than the file', file(101, chunk(1, 0))],
  ['none for a file with bytes', file(1)],
  ['one for an empty file', file(0, chunk(1, 0))],
  ['a chunk of no bytes', file(100, chunk(1, 0), chunk(2, 100, 0))],
  ['a chunk of more than 16 MiB', file(2 ** 24 + 1, chunk(1, 0, 2 ** 24 + 1))],
  ['a SHA-1 of 19 bytes', file(100, { ...chunk(1, 0), sha: sha(1).subarray(1) })],
  ['a SHA-1 of 2 kB', file(100, { ...chunk(1, 0), sha: seededBytes(1, 2000) })],
  ['one chunk in two sizes', file(300, chunk(1, 0, 100), chunk(1, 100, 200))],
  ['a download of no bytes', file(100, { ...chunk(1, 0), cb_compressed: 0 })],
  ['a download that cannot be decrypted', file(100, { ...chunk(1, 0), cb_compressed: 100 })],
  ['a download of 4 GB', file(100, { ...chunk(1, 0), cb_compressed: 4e9 - (4e9 % 16) })],
  ['a file of 2^53 bytes', file(2 ** 53, chunk(1, 0))],
])('a manifest whose chunks do not cover a file exactly is refused: %s', (_what, entry) => {
  expect(() => read(entry)).toThrow(`the manifest's chunks do not make up "a"`)
})

test('a manifest with more files or chunks than any game has is refused, before it fills the memory', () => {
  const files = Array.from({ length: 100_001 }, (_, index) => ({ filename: `f${index}`, size: 0 }))
  expect(() => read(...files)).toThrow('the manifest names more than 100000 files')
  const one = chunk(1, 0)
  const chunks = Array.from({ length: 250_001 }, () => one)
  expect(() => read({ filename: 'a', size: 100, chunks })).toThrow(
    'the manifest names more than 250000 chunks',
  )
})

test('a download with chunks behind the end of a file is refused, and nothing is written', async () => {
  const depot = makeDepot({
    files: [{ path: 'a', content: seededBytes(1, 100) }],
    mangle: (entry) => ({
      ...entry,
      chunks: [...(Array.isArray(entry.chunks) ? entry.chunks : []), chunk(2, 4.8e9)],
    }),
  })
  const { download, directory } = await farm(depot)
  await expect(download()).rejects.toMatchObject({ kind: 'manifest' })
  expect(readdirSync(directory)).toEqual([])
})
