import { expect, test } from 'vitest'
import { DownloadError } from '../../../ticket/depot/errors.ts'
import { makeDepot } from '../../platform/depots.ts'
import { seededBytes } from '../../platform/seeded.ts'
import { farm, tree, treeOf } from './farm.ts'

const depot = makeDepot({ files: [{ path: 'f', content: seededBytes(1, 200_000) }], chunkSize: 20_000 })

test('a CDN token that the platform could not give once is asked for again', async () => {
  const { download, directory, cdn, platform } = await farm(depot)
  cdn.knobs.token = platform.token
  const give = platform.cdnToken
  platform.cdnToken = async (...args) => {
    const token = await give(...args)
    if (platform.tokensGiven === 1) throw new DownloadError('platform', 'busy')
    return token
  }
  await download()
  expect(tree(directory)).toEqual(treeOf(depot))
  expect(platform.tokensGiven).toBe(2)
})
