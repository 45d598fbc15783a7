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
  ['a chunk behind full coverage', file(100, chunk(1, 0), chunk(2, 4.8e9))],
  ['a chunk of impossible size behind full coverage', file(100, chunk(1, 0), chunk(2, 100, 4e9))],
  [
    'a chunk without a SHA-1 behind full coverage',
    file(100, chunk(1, 0), { ...chunk(2, 100), sha: Buffer.alloc(0) }),
  ],
  ['a SHA-1 of 19 bytes', file(100, { ...chunk(1, 0), sha: sha(1).subarray(1) })],
  ['a SHA-1 of 2 kB', file(100, { ...chunk(1, 0), sha: seededBytes(1, 2000) })],
  ['a file of 2^53 bytes', file(2 ** 53, chunk(1, 0))],
])('a manifest whose chunks do not cover a file exactly is refused: %s', (_what, entry) => {
  expect(() => read(entry)).toThrow(`the manifest's chunks do not make up "a"`)
})

test('a download with chunks beyond the end of a file is refused, and nothing is written', async () => {
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
