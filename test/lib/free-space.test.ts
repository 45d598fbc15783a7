import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type DiskBlocks, roomBeyondReserve } from '../../lib/free-space.ts'
import { newFolder } from '../new-folder.ts'

const MiB = 1024 ** 2
const disk = (total: number, free: number) => async (): Promise<DiskBlocks> => ({
  blocks: total / 4096,
  bavail: free / 4096,
  bsize: 4096,
})

test('a large disk keeps 256 MiB in reserve, a small one a twentieth of itself', async () => {
  expect(await roomBeyondReserve('/', disk(1024 ** 4, 300 * MiB))).toBe(44 * MiB)
  expect(await roomBeyondReserve('/', disk(100 * MiB, 6 * MiB))).toBe(MiB)
  expect(await roomBeyondReserve('/', disk(100 * MiB, 4 * MiB))).toBe(-MiB)
})

test('a file system that does not report its free space stops nothing', async () => {
  expect(await roomBeyondReserve('/', disk(0, 0))).toBe(Number.POSITIVE_INFINITY)
})

test('a folder that does not exist yet has the free space of its future disk', async () => {
  const folder = newFolder()
  const asked: string[] = []
  const look = (path: string) => {
    asked.push(path)
    return statfs(path)
  }
  expect(await roomBeyondReserve(join(folder, 'a', 'b'), look)).toBeTypeOf('number')
  expect(asked).toEqual([join(folder, 'a', 'b'), join(folder, 'a'), folder])
})
