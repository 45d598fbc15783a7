import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { canRun } from '../../left-out.ts'
import { inMemory, newFolder } from '../../new-folder.ts'
import { makeDepot } from '../../platform/depots.ts'
import { seededBytes } from '../../platform/seeded.ts'
import { contentServer } from './farm.ts'
import type { MemoryAnswer, MemoryOrder } from './memory-child.ts'
import { spawnOf } from './spawn.ts'

const child = fileURLToPath(new URL('./memory-child.ts', import.meta.url))
const count = 4000

const status = '/proc/self/status'
const memoryProblem = existsSync(status) ? undefined : `there is no ${status}`
test.runIf(canRun('the memory of a download', memoryProblem))(
  '4,000 small files add less than 50 MB to the memory of a download',
  async () => {
    const pool = seededBytes(1, 40_000)
    const files = Array.from({ length: count }, (_, index) => ({
      path: `Content/Maps/group-${index % 100}/map-${index}.xnb`,
      content: pool.subarray(index, index + 200),
    }))
    const game = makeDepot({ files, depotId: 7001, manifestId: '7001', formats: ['zip'] })
    const sdk = makeDepot({ files: files.slice(0, 10), depotId: 7002, manifestId: '7002', formats: ['zip'] })
    const cdn = await contentServer(game, sdk)
    // Every file is synced to the disk.
    const directory = newFolder(inMemory)
    const placed = ({ depotId, key }: typeof game) => ({ depotId, key: key.toString('hex') })
    const order: MemoryOrder = { host: cdn.host, directory, sdk: placed(sdk), game: placed(game) }
    const { stdout, stderr } = await spawnOf([child, JSON.stringify(order)])
    expect(stderr).toBe('')
    const answer: MemoryAnswer = JSON.parse(stdout)
    expect(answer.changed).toBe(count)
    expect(answer.added).toBeLessThan(50)
  },
)
