/** Which starts of the game farmgate holds back. */
import { rmSync } from 'node:fs'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { loadNext } from '../../../services/saves/pointer.ts'
import { type StartParts, watchStarts } from '../../../services/saves/prepare-start.ts'
import { rightFarmOf, type SavedFarm, savedFarm } from '../../backups/saved-farm.ts'
import { pointedTo, pointTo } from '../../game-server/saved-game.ts'
import { beforeEachCall } from '../../lib/shared-folder/exchanged.ts'
import { silent } from '../../logs.ts'

const by = { id: 'api_key', name: 'API_KEY' }
const wrong = 'EM_123456789'
let saved: SavedFarm
beforeEach(() => {
  saved = savedFarm()
  saved.save()
  pointTo(saved.savesDir, wrong)
  return () => saved.remove()
})
const none = () => Promise.reject(new Error('no game'))
const game = { status: none, farmhands: none, health: () => ({}) as never }
const repairs: unknown[] = []
const expecting = (expected: StartParts['rightFarm']['expected']) => ({
  ...rightFarmOf(saved.savesDir, game),
  expected,
})
const starts = (more: Partial<StartParts> = {}) =>
  watchStarts({
    savesDir: saved.savesDir,
    game,
    settings: undefined,
    rightFarm: expecting(async () => ({ name: 'Clover' })),
    repair: async (dir, names) => {
      await loadNext(dir, names.to)
      repairs.push(names)
    },
    log: silent,
    ...more,
  })
const refused = (words: string) => ({ refused: expect.stringContaining(words) })

test('without write access a pointer that could be repaired holds the start back, and the sentence says how', async () => {
  onTestFinished(
    beforeEachCall((_count, call, path) => {
      if (call === 'access' && path.includes('/proc/self/fd/')) throw new Error('EROFS')
    }),
  )
  expect(await starts().kept(by, false).beforeStart()).toEqual(refused('set SAVES_ACCESS=rw'))
  expect(await starts().kept(by, true).beforeStart()).toBe('nothing')
})

test('a pointer without a save holds no start back where no save exists, or none was ever seen to be played', async () => {
  pointTo(saved.savesDir, null)
  expect(await starts().kept(by, false).beforeStart()).toEqual(refused('names no save'))
  expect(await starts({ rightFarm: expecting(async () => undefined) }).judge()).toBe('right')
  pointTo(saved.savesDir, 'Gone_1')
  rmSync(saved.saves, { recursive: true })
  expect(await starts().judge()).toBe('right')
})

test('a save whose number stands twice is not guessed', async () => {
  saved.save({}, 'Other_123456789')
  expect(await starts().kept(by, false).beforeStart()).toEqual(refused(`names the save ${wrong}`))
})

test('a disk that fails, and a farm without SAVES_DIR, hold no start back', async () => {
  const failing = starts({ rightFarm: expecting(() => Promise.reject(new Error('no answer'))) })
  pointTo(saved.savesDir, null)
  expect(await failing.judge()).toBe('right')
  expect(await starts({ savesDir: undefined }).judge()).toBe('right')
})

test('a pointer that changes between the look and the repair is judged again, and one that does during it is not trusted', async () => {
  const kept = starts().kept(by, false)
  expect(await kept.beforeStart()).toBe('preparation')
  pointTo(saved.savesDir, 'Gone_1')
  await expect(kept.prepare()).rejects.toMatchObject({ failure: { kind: 'save_refused' } })
  pointTo(saved.savesDir, wrong)
  const end = beforeEachCall((_count, call, path) => {
    if (call === 'open' && path.endsWith('gameloader.json') && pointedTo(saved.savesDir) !== wrong)
      pointTo(saved.savesDir, 'Gone_2')
  })
  onTestFinished(end)
  await expect(kept.prepare()).rejects.toMatchObject({ failure: { kind: 'disk_failed' } })
  end()
  pointTo(saved.savesDir, wrong)
  repairs.length = 0
  await kept.prepare()
  expect([pointedTo(saved.savesDir), repairs]).toEqual([
    'Clover_123456789',
    [{ from: wrong, to: 'Clover_123456789' }],
  ])
})
