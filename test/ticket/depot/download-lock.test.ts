/** One download at a time in a game directory. */
import { expect, test } from 'vitest'
import { installGame } from '../../../ticket/depot/install/game.ts'
import { keepAll } from '../../../ticket/depot/plan/filter.ts'
import { openGameDirectory } from '../../../ticket/depot/tree/game-directory.ts'
import { lockDirectory } from '../../../ticket/depot/tree/lock-directory.ts'

import { depotPlatform } from '../../platform/depot-platform.ts'
import { eventually } from '../../wait.ts'
import { contentServer, contextOf, GAME, newFolder, quickRetries } from './farm.ts'
import { gameDepot, sdkDepot } from './games.ts'
import { child, depot, exitCode, orderFor } from './six-files.ts'
import { spawnOf } from './spawn.ts'

test('of two downloads at once the second reports the first and exits', async () => {
  const cdn = await contentServer(gameDepot(), sdkDepot())
  const platform = depotPlatform({ [GAME]: gameDepot(), 1007: sdkDepot() }, [cdn.host])
  const directory = newFolder()
  cdn.knobs.fault = ({ kind }) => (kind === 'chunk' ? { do: 'stall' } : undefined)
  const request = { appId: GAME, directory, filter: keepAll }
  const one = contextOf(platform, {
    retries: { ...quickRetries, idleTimeout: 1500, giveUpAfter: 60_000 },
  })
  const first = installGame(request, () => undefined, one.context)
  // It contacts a content server only with the lock.
  await eventually(() => cdn.requests.length > 0)
  const second: unknown = await installGame(request, () => undefined, one.context).catch(
    (reason: unknown) => reason,
  )
  expect(second).toMatchObject({ kind: 'busy' })
  expect(String(second)).toContain('another download is at work')
  expect(exitCode(second)).toBe(1)
  cdn.knobs.fault = () => undefined
  await first
  await one.close()
})

test('a system without the program flock downloads without a lock', async () => {
  const cdn = await contentServer(depot)
  const directory = newFolder()
  const release = lockDirectory(openGameDirectory({ directory, folder: '' }))
  // Another process sees the lock.
  expect((await spawnOf([child, orderFor(cdn.host, directory)])).stdout).toMatch(
    /^busy: another download is at work/,
  )
  expect(await spawnOf([child, orderFor(cdn.host, directory)], { PATH: directory })).toMatchObject({
    code: 0,
  })
  release()
})
