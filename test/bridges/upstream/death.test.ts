/** One clock for an offline game: `players`, `status` and `health` change their answers together. */

import { expect, test } from 'vitest'
import { systemClock } from '../../../lib/clock.ts'
import { eventually } from '../../wait.ts'
import { failureOf } from '../contract/expectations.ts'
import { reachedGame, still } from '../own-game.ts'
import { tenthOfBudgets } from '../upstream-game.ts'

/** A monotonic clock that a test moves, with real timers. */
function movableClock() {
  let ahead = 0
  return {
    ...systemClock,
    now: () => Date.now() + ahead,
    monotonic: () => performance.now() + ahead,
    advance(milliseconds: number) {
      ahead += milliseconds
    },
  }
}

const { pollEvery } = still
const limits = { ...tenthOfBudgets, keepFor: 0, pollEvery, brokenAfter: 3_000_000, offlineAfter: 10_000_000 }

async function dyingGame() {
  const clock = movableClock()
  const game = await reachedGame({ limits, clock })
  game.server.world.join('Abby', 7n)
  await eventually(async () => expect((await game.bridge.players()).players).toHaveLength(1))
  await game.bridge.status()
  return { ...game, clock }
}

type Dying = Awaited<ReturnType<typeof dyingGame>>

async function expectStillThere({ bridge }: Dying) {
  expect(await bridge.players()).toMatchObject({ players: [{ name: 'Abby' }] })
  expect(await bridge.status()).toMatchObject({ isOnline: true, playerCount: 1 })
  expect(bridge.health().gameAvailable).toBe(true)
  expect(bridge.health()).not.toHaveProperty('awaySince')
}

async function expectGone({ bridge }: Dying) {
  expect(await failureOf(bridge.players())).toEqual({ kind: 'unavailable' })
  expect(await bridge.status()).toMatchObject({ isOnline: false, playerCount: 0 })
  expect(bridge.health()).toMatchObject({ gameAvailable: false, awaySince: expect.any(Number) })
}

test('after refused connections players, status and health change together, three seconds after the first failure', async () => {
  const game = await dyingGame()
  await game.server.down()
  await expectStillThere(game)
  game.clock.advance(2_900_000)
  await expectStillThere(game)
  game.clock.advance(200_000)
  await expectGone(game)
  await game.server.up()
  await eventually(() => expectStillThere(game))
})

test('after reset connections they change together too', async () => {
  const game = await dyingGame()
  game.server.faults.set({ kind: 'resets' })
  await expectStillThere(game)
  game.clock.advance(3_100_000)
  await expectGone(game)
})

test('while the game only stops answering they change together, ten seconds after its last answer', async () => {
  const game = await dyingGame()
  game.server.faults.set({ kind: 'silent' })
  await expectStillThere(game)
  game.clock.advance(9_000_000)
  await expectStillThere(game)
  game.clock.advance(1_100_000)
  await expectGone(game)
})

test('an answer in between restarts the clock', async () => {
  const game = await dyingGame()
  await game.server.down()
  await expectStillThere(game)
  game.clock.advance(2_900_000)
  await game.server.up()
  await expectStillThere(game)
  await game.server.down()
  await expectStillThere(game)
  game.clock.advance(2_900_000)
  await expectStillThere(game)
})
