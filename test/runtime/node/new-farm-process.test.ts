/** farmgate killed at each step of an operation that starts a new farm. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { connect } from '../../../client/index.ts'
import { temporaryEnd } from '../../../services/saves/saves-folder.ts'
import { ended } from '../../contract/client/host-calls.ts'
import { cloverSave, hostedGame, key } from '../../game-server/hosted-game.ts'
import { pointedTo, pointTo } from '../../game-server/saved-game.ts'
import { eventually } from '../../wait.ts'
import { serving } from './farmgate-process.ts'
import { openedFarm } from './open-farm.ts'

type Hosted = Awaited<ReturnType<typeof hostedGame>>

/** A farmgate process with a game that plays Clover. */
async function setUp() {
  const hosted = await hostedGame()
  const { env, settingsPath, savesDir, game } = hosted
  const settings = readFileSync(settingsPath, 'utf8')
  const process = await serving(env)
  const farm = connect({ url: process.url, key })
  await eventually(async () => expect((await farm.status()).farmName).toBe('Clover'))
  const kill = async () => {
    process.signal('SIGKILL')
    await process.exited
  }
  /** Begins the operation, with the answer in hand before anything kills the process. */
  const begin = async (more: object = {}) =>
    (await farm.startNewFarm({ farmName: 'Fern', warnMinutes: [], backup: false, ...more })).operation
  /** The next farmgate, once it has ended the operation. */
  const afterwards = async (operation: Awaited<ReturnType<typeof begin>>) => {
    const again = connect({ url: (await openedFarm(env)).url, key })
    const end = await ended(again, operation)
    await eventually(async () => expect(await again.saves()).not.toHaveProperty('unexpected'))
    return { again, end }
  }
  const playsFern = async (operation: Awaited<ReturnType<typeof begin>>) => {
    const { again, end } = await afterwards(operation)
    expect(end).toMatchObject({ state: 'succeeded' })
    await eventually(async () => expect((await again.status()).farmName).toBe('Fern'))
    expect(JSON.parse(readFileSync(settingsPath, 'utf8'))).toMatchObject({ Game: { FarmName: 'Fern' } })
    expect((await again.saves()).saves).toMatchObject([{ name: cloverSave }])
  }
  const playsClover = async (operation: Awaited<ReturnType<typeof begin>>, found: object) => {
    const { again, end } = await afterwards(operation)
    expect(end).toMatchObject({ state: 'failed', ...found })
    await eventually(async () => expect((await again.status()).farmName).toBe('Clover'))
    expect([pointedTo(savesDir), game.played()?.folder, readFileSync(settingsPath, 'utf8')]).toEqual([
      cloverSave,
      cloverSave,
      settings,
    ])
  }
  return { ...hosted, farm, process, kill, begin, playsFern, playsClover }
}

type Own = Awaited<ReturnType<typeof setUp>>

const before: readonly [string, object, (own: Own) => unknown][] = [
  ['waiting', { when: 'empty' }, ({ game }) => void game.world.join('Abby', 5n)],
  ['warning', { warnMinutes: [5] }, ({ game }) => void game.world.join('Abby', 5n)],
  [
    'saving',
    {},
    async ({ game: { world }, farm }) => {
      world.isTurning = true
      // Nothing shows the night before the game's newest snapshot is old.
      await eventually(async () => expect(await farm.health()).toMatchObject({ isStale: true }))
    },
  ],
  [
    'backing_up',
    { backup: true },
    ({ saves }) => writeFileSync(join(saves, cloverSave, `SaveGameInfo${temporaryEnd}`), ''),
  ],
]
test.each(before)(
  'killed with SIGKILL in the step %s, the game plays on and nothing has changed',
  async (state, request, prepare) => {
    const own = await setUp()
    const { process, kill, begin, asked, game, playsClover } = own
    await prepare(own)
    const operation = await begin(request)
    await process.said(new RegExp(`"state":"${state}"`))
    await kill()
    game.world.isTurning = false
    game.world.publish()
    await playsClover(operation, { error: 'farmgate ended before it stopped the game' })
    expect(asked).toEqual([])
  },
)

/** What can be done of the step preparing. */
const halves: readonly [string, (hosted: Hosted) => void][] = [
  ['stopping', () => undefined],
  [
    'preparing, with the settings written',
    ({ settingsPath }) => writeFileSync(settingsPath, '{"Game":{"FarmName":"Fern"},"Server":{}}'),
  ],
  [
    'preparing, with the settings written and the pointer removed',
    ({ settingsPath, savesDir }) => {
      writeFileSync(settingsPath, '{"Game":{"FarmName":"Fern"},"Server":{}}')
      pointTo(savesDir, null)
    },
  ],
]
test.each(halves)('killed with SIGKILL in the step %s, the next start completes it', async (_step, half) => {
  const own = await setUp()
  const { kill, begin, instead, game, playsFern } = own
  const answered = Promise.withResolvers<void>()
  const stopped = Promise.withResolvers<void>()
  instead.stop = async () => {
    delete instead.stop
    await answered.promise
    await kill()
    await game.stop()
    half(own)
    stopped.resolve()
  }
  const operation = await begin()
  answered.resolve()
  await stopped.promise
  await playsFern(operation)
})

test.each(['starting', 'checking'])(
  'killed with SIGKILL in the step %s, the next start completes it',
  async (step) => {
    const { process, kill, begin, instead, game, playsFern } = await setUp()
    instead.start = async () => {
      delete instead.start
      if (step === 'starting') await kill()
      await game.start()
      game.world.isLoaded = false
      game.world.publish()
    }
    const operation = await begin()
    if (step === 'checking') {
      await process.said(/"state":"checking"/)
      await kill()
    }
    await process.exited
    await eventually(() => expect(game.process).toMatchObject({ isRunning: true, starts: 2 }))
    game.world.isLoaded = true
    game.world.publish()
    await playsFern(operation)
  },
)

test.each(['stop', 'start'] as const)(
  'killed with SIGKILL at the order to %s the game for the farm from before, the next start undoes it',
  async (order) => {
    const { process, kill, begin, instead, game, playsClover } = await setUp()
    const orders = { stop: () => game.stop(), start: () => game.start() }
    instead.start = async () => {
      instead.start = orders.start
      instead[order] = async () => {
        delete instead[order]
        await kill()
        await orders[order]()
      }
      await game.start()
      game.world.farmName = 'Mallory'
      game.world.publish()
    }
    const operation = await begin()
    await process.exited
    await playsClover(operation, { undone: true })
  },
)
