/** farmgate killed at each step of an operation that has the game load another save. */
import { expect, test } from 'vitest'
import { connect } from '../../../client/index.ts'
import { ended } from '../../contract/client/host-calls.ts'
import { hostedGame, key } from '../../game-server/hosted-game.ts'
import { pointedTo } from '../../game-server/saved-game.ts'
import { eventually } from '../../wait.ts'
import { serving } from './farmgate-process.ts'
import { openedFarm } from './open-farm.ts'

test.each(['stop', 'start'] as const)(
  'killed with SIGKILL at the order to %s the game, pointer, game and expected farm agree after the next start',
  async (order) => {
    const { env, save, savesDir, game, instead } = await hostedGame()
    save({ farmName: 'Oak', farmId: 7 })
    const first = await serving(env)
    const farm = connect({ url: first.url, key })
    await eventually(async () => expect((await farm.status()).farmName).toBe('Clover'))
    const answered = Promise.withResolvers<void>()
    const orders = { stop: () => game.stop(), start: () => game.start() }
    instead[order] = async () => {
      delete instead[order]
      await answered.promise
      first.signal('SIGKILL')
      await first.exited
      await orders[order]()
    }
    const { operation } = await farm.chooseSave({ name: 'Oak_7', warnMinutes: [], backup: false })
    answered.resolve()
    if (operation === undefined) expect.fail('no operation')
    await first.exited
    const again = connect({ url: (await openedFarm(env)).url, key })
    expect(await ended(again, operation)).toMatchObject({ state: 'succeeded' })
    expect([pointedTo(savesDir), game.played()?.folder]).toEqual(['Oak_7', 'Oak_7'])
    await eventually(async () => expect((await again.status()).farmName).toBe('Oak'))
    expect(await again.saves()).not.toHaveProperty('unexpected')
  },
)
