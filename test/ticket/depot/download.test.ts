import { expect, test } from 'vitest'
import { makeDepot } from '../../platform/depots.ts'
import { seededBytes } from '../../platform/seeded.ts'
import { farm, tree, treeOf } from './farm.ts'

const files = [
  { path: 'Stardew Valley', content: seededBytes(1, 300_000), flags: 32 },
  { path: 'Content\\Maps\\Farm.xnb', content: seededBytes(2, 2_500_000) },
  { path: 'Content/empty.txt', content: Buffer.alloc(0) },
  { path: 'lib', flags: 64 },
  { path: 'libgame.so', flags: 512, target: 'lib/libgame.so.1' },
  { path: 'lib/libgame.so.1', content: seededBytes(3, 50_000), flags: 128 },
]

test('a download writes the files of a manifest from chunks of all three formats', async () => {
  const depot = makeDepot({ files, formats: ['lzma', 'zstd', 'zip'] })
  const { download, directory, cdn } = await farm(depot)
  const first = await download()
  const unix = { ...depot, files: files.map((file) => ({ ...file, path: file.path.replaceAll('\\', '/') })) }
  expect(tree(directory)).toEqual(treeOf(unix))
  expect(first.changed).toBeGreaterThan(0)
  const before = cdn.chunkRequests()
  const second = await download()
  expect(second.changed).toBe(0)
  expect(cdn.chunkRequests()).toBe(before)
})
