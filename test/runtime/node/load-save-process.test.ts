/** farmgate killed at each step of what changes the save that the game loads, and the start after it. */
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { connect, type Farm, type HostOperation } from '../../../client/index.ts'
import { clover } from '../../backups/saved-farm.ts'
import { zippedSave } from '../../backups/zipped-save.ts'
import { ended } from '../../contract/client/host-calls.ts'
import { cloverSave, hostedGame, key } from '../../game-server/hosted-game.ts'
import { pointedTo, pointTo } from '../../game-server/saved-game.ts'
import { eventually } from '../../wait.ts'
import { serving } from './farmgate-process.ts'
import { openedFarm } from './open-farm.ts'

const oak = { farmName: 'Oak', farmId: 7 }
const preloaded = `--import=${fileURLToPath(new URL('./killed-at.ts', import.meta.url))}`
const abby = 123_456_789_000n

/** A game that plays Clover, next to Oak, and a farmgate that can be killed. @param killedAt a change of the disk */
async function setUp(killedAt = '') {
  const hosted = await hostedGame()
  hosted.save(oak)
  const { env, game, savesDir, instead } = hosted
  const first = await serving({ ...env, NODE_OPTIONS: preloaded, KILLED_AT: killedAt })
  const farm = connect({ url: first.url, key })
  await eventually(async () => expect(await farm.health()).toMatchObject({ gameAvailable: true }))
  const kill = async () => {
    first.signal('SIGKILL')
    await first.exited
  }
  const orders = { stop: () => game.stop(), start: () => game.start() }
  /** farmgate is killed at an order to the game, with its number, and the game obeys. */
  const killAt = (order: keyof typeof orders, number: number, answered: Promise<unknown>) => {
    let count = 0
    const before = instead[order]
    instead[order] = async () => {
      count += 1
      if (count < number) return (before ?? orders[order])()
      delete instead[order]
      await answered
      await kill()
      await orders[order]()
    }
  }
  /** The first start of the game loads something else, which fails the operation. */
  const failFirst = () => {
    let isFirst = true
    instead.start = async () => {
      if (isFirst) pointTo(savesDir, 'Gone_5')
      isFirst = false
      await game.start()
    }
  }
  /** Another farmgate, once the first one is dead. */
  const again = async () => {
    await first.exited
    return connect({ url: (await openedFarm(env)).url, key })
  }
  /** Pointer, game and expected farm are of one save: a third one that is started from outside is not it. */
  const agree = async (after: Farm, name: string) => {
    await eventually(() => expect([pointedTo(savesDir), game.played()?.folder]).toEqual([name, name]))
    await eventually(async () => expect(await after.status()).toMatchObject({ isOnline: true }))
    expect(await after.saves()).toMatchObject({ next: { state: 'ok', save: name } })
    expect(await after.saves()).not.toHaveProperty('unexpected')
    hosted.save({ farmName: 'Elm', farmId: 9 })
    await game.stop()
    pointTo(savesDir, 'Elm_9')
    await game.start()
    const number = name.slice(name.lastIndexOf('_') + 1)
    await eventually(async () =>
      expect((await after.saves()).unexpected).toMatchObject({
        expected: { number },
        found: { name: 'Elm' },
      }),
    )
  }
  return { ...hosted, first, farm, kill, killAt, failFirst, again, agree }
}
type Own = Awaited<ReturnType<typeof setUp>>

interface Step {
  readonly killedAt?: string
  /** Members of the request. */
  readonly asks?: Partial<Parameters<Farm['chooseSave']>[0]>
  /** Before the request. @param answered when the request is */
  readonly before?: (own: Own, answered: Promise<unknown>) => unknown
  /** After it. */
  readonly after?: (own: Own) => Promise<unknown>
}
/** Kills it once the operation is in a state. */
const killIn = (state: HostOperation['state']) => async (own: Own) => {
  await eventually(async () => expect((await own.farm.host()).operation?.state).toBe(state))
  await own.kill()
}
const withPlayer = ({ game, farm }: Own) => {
  game.world.join('Abby', abby)
  return eventually(async () => expect(await farm.status()).toMatchObject({ playerCount: 1 }))
}
const pointer = 'junimohost.gameloader.json'
const staging = '.farmgate-pointer'

const unchanged: Readonly<Record<string, Step>> = {
  waiting: { asks: { when: 'empty' }, before: withPlayer, after: killIn('waiting') },
  warning: { asks: { warnMinutes: [60] }, before: withPlayer, after: killIn('warning') },
  saving: {
    asks: { when: 'empty' },
    before: withPlayer,
    async after(own) {
      const { world } = own.game
      world.leave(abby)
      // The night has begun: that no one is connected is the last news for a minute.
      world.isTurning = true
      world.clockOffset += 60_000
      await killIn('saving')(own)
      world.clockOffset -= 60_000
      world.isTurning = false
      world.publish()
    },
  },
  'the backup': {
    killedAt: 'rename archive 2',
    asks: { backup: true },
    async before({ farm, save }) {
      await eventually(async () => expect((await farm.backups()).backups).toHaveLength(1))
      save({ farmhands: [] })
    },
  },
}
const loaded: Readonly<Record<string, Step>> = {
  'the order to stop': { before: ({ killAt }, answered) => killAt('stop', 1, answered) },
  'the folder for the new pointer': { killedAt: `folder ${staging} 1` },
  'the file of the new pointer': { killedAt: `write ${pointer}.new 1` },
  'the end of that file': { killedAt: `rename ${pointer} 1` },
  'the rename of the new pointer': { killedAt: `rename ${pointer} 2` },
  'the end of preparing': { killedAt: `remove ${staging} 1` },
  'the order to start': { before: ({ killAt }, answered) => killAt('start', 1, answered) },
  checking: {
    before({ instead, game }) {
      instead.start = async () => {
        delete instead.start
        await game.start()
        game.world.isLoaded = false
        game.world.publish()
      }
    },
    async after(own) {
      await killIn('checking')(own)
      own.game.world.isLoaded = true
      own.game.world.publish()
    },
  },
}
const undone: Readonly<Record<string, Step>> = {
  'the order to stop for the undo': {
    before({ failFirst, killAt }, answered) {
      failFirst()
      killAt('stop', 2, answered)
    },
  },
  'the rename of the old pointer': {
    killedAt: `rename ${pointer} 4`,
    before: ({ failFirst }) => failFirst(),
  },
  'the order to start the old farm': {
    before({ failFirst, killAt }, answered) {
      failFirst()
      killAt('start', 2, answered)
    },
  },
}

/** Chooses Oak, kills farmgate, and opens another one. */
async function killed({ killedAt, asks = {}, before, after: next }: Step) {
  const own = await setUp(killedAt)
  const answered = Promise.withResolvers<void>()
  await before?.(own, answered.promise)
  const { operation } = await own.farm.chooseSave({ name: 'Oak_7', warnMinutes: [], backup: false, ...asks })
  answered.resolve()
  await next?.(own)
  const after = await own.again()
  return { ...own, after, end: await ended(after, operation ?? expect.fail('no operation')) }
}

test.each(Object.entries(unchanged))(
  'farmgate killed at %s of load_save leaves the game with the old farm',
  async (_at, step) => {
    const { agree, after, end, asked } = await killed(step)
    expect([end, asked]).toMatchObject([
      { state: 'failed', error: expect.stringContaining('before it stopped the game') },
      [],
    ])
    expect(end).not.toHaveProperty('undone')
    await agree(after, cloverSave)
  },
)

test.each(Object.entries(loaded))(
  'farmgate killed at %s of load_save has the game play the chosen farm after the next start',
  async (_at, step) => {
    const { agree, after, end } = await killed(step)
    expect(end).toMatchObject({ state: 'succeeded' })
    await agree(after, 'Oak_7')
  },
)

test.each(Object.entries(undone))(
  'farmgate killed at %s of load_save has the game play the old farm after the next start',
  async (_at, step) => {
    const { agree, after, end } = await killed(step)
    expect(end).toMatchObject({ state: 'failed', undone: true })
    await agree(after, cloverSave)
  },
)

test.each([`folder ${staging} 1`, `rename ${pointer} 1`, `rename ${pointer} 2`, `remove ${staging} 1`])(
  'farmgate killed in a repair of the pointer, before it would %s, has the next start play the farm, and no repair is without its row of the audit',
  async (killedAt) => {
    const { farm, savesDir, again, agree } = await setUp(killedAt)
    pointTo(savesDir, 'EM_123456789')
    const { operation } = await farm.restartGame({ warnMinutes: [], backup: false })
    const after = await again()
    expect(await ended(after, operation)).toMatchObject({ state: 'failed' })
    expect(await ended(after, (await after.startGame()).operation)).toMatchObject({ state: 'succeeded' })
    const parameters = { from: 'EM_123456789', to: cloverSave }
    const outcomes = async () =>
      (await after.audit({ action: 'repairPointer' })).entries.map((row) => {
        expect(row).toMatchObject({ parameters })
        return row.outcome
      })
    const expected = killedAt.startsWith('remove') ? 'unknown' : 'done'
    await eventually(async () => expect(await outcomes()).toContain(expected))
    await agree(after, cloverSave)
  },
)

test.each(['make SaveGameInfo 1', 'rename Maple_8 1'])(
  'farmgate killed in an import, before it would %s, leaves pointer, game and expected farm as they were',
  async (killedAt) => {
    const { farm, again, agree } = await setUp(killedAt)
    const content = new Blob([await zippedSave({ ...clover, farmName: 'Maple', farmId: 8 })])
    await expect(farm.uploadSave({ content })).rejects.toThrow()
    const after = await again()
    expect((await after.saves()).saves.map(({ name }) => name).toSorted()).toEqual([cloverSave, 'Oak_7'])
    await agree(after, cloverSave)
  },
)

/** The next start of the game is its last for a while: it dies at once. */
const dyingOnce = ({ instead, game }: Own) => {
  instead.start = async () => {
    delete instead.start
    await game.start()
    await game.stop()
  }
}
const died = { state: 'failed', error: 'The game ended after it was started' }

test('a game that dies in the first minute after load_save plays the old farm again: pointer, game and expected farm agree', async () => {
  const own = await setUp()
  const { farm, agree } = own
  dyingOnce(own)
  const { operation } = await farm.chooseSave({ name: 'Oak_7', warnMinutes: [], backup: false })
  expect(await ended(farm, operation ?? expect.fail('no operation'))).toMatchObject({ ...died, undone: true })
  await agree(farm, cloverSave)
})

const befores: readonly [string, (own: Own) => unknown][] = [
  ['a repair before it', ({ savesDir }) => pointTo(savesDir, 'EM_123456789')],
  [
    'an import',
    async ({ farm }) =>
      farm.uploadSave({ content: new Blob([await zippedSave({ ...clover, farmName: 'Maple', farmId: 8 })]) }),
  ],
]
test.each(befores)(
  'a game that dies in the first minute of a restart after %s fails it, and plays the farm after the next start: pointer, game and expected farm agree',
  async (_what, before) => {
    const own = await setUp()
    const { farm, agree, savesDir } = own
    await before(own)
    dyingOnce(own)
    const { operation } = await farm.restartGame({ warnMinutes: [], backup: false })
    const end = await ended(farm, operation)
    expect(end).toMatchObject(died)
    expect(end).not.toHaveProperty('undone')
    expect(pointedTo(savesDir)).toBe(cloverSave)
    const started = await farm.startGame()
    expect(await ended(farm, started.operation)).toMatchObject({ state: 'succeeded' })
    await agree(farm, cloverSave)
  },
)
