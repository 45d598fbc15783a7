/** Time limits: every bridge gives a call the time in the table of abilities, and the link one second more. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { linkedGame } from '../../bridges/linked/edge-end/linked-game.ts'
import { backupBudgets } from '../../handlers/backups.ts'
import { edgeEndpoints } from '../../handlers/endpoints/edge-endpoints.ts'
import { type AbilityName, abilities, abilityNames } from '../../handlers/game-abilities.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { saveBudgets } from '../../handlers/saves.ts'
import { maxWait } from '../../handlers/wait-parameters.ts'
import { systemClock } from '../../lib/clock.ts'
import { sampleCall } from '../bridges/contract/abilities.ts'
import { aFarm } from '../bridges/simulated/a-farm.ts'
import { upstreamGame } from '../bridges/upstream-game.ts'
import { memoryStore } from './memory-store.ts'

/** A clock that records the time limits that a bridge sets. */
function recorder() {
  const waits: number[] = []
  return {
    after(milliseconds: number, run: () => void) {
      waits.push(milliseconds)
      return systemClock.after(milliseconds, run)
    },
    /** The waits at the start of a call. */
    ofCall(bridge: GameBridge, name: AbilityName): readonly number[] {
      const before = waits.length
      sampleCall(bridge, name).catch(() => undefined)
      return waits.slice(before)
    },
    /** The waits since this was last called, or all. */
    newWaits: () => waits.splice(0),
  }
}

describe('the time budget of a call', () => {
  test.each(abilityNames)('%s has the time budget of the table, at the simulated farm', async (name) => {
    const { farm, clock, controls } = aFarm({ story: 'steered' })
    controls.fallSilent()
    let isOver = false
    void sampleCall(farm, name).catch(() => {
      isOver = true
    })
    clock.advance(abilities[name].budget - 1)
    await Promise.resolve()
    expect([controls.waiting, isOver]).toEqual([[name], false])
    clock.advance(1)
    expect(controls.waiting).toEqual([])
  })

  test('at the upstream bridge is the one in the table', async () => {
    const { after, ofCall } = recorder()
    const game = await upstreamGame({
      limits: { pollEvery: 3_600_000, keepFor: 0 },
      clock: { ...systemClock, after },
    })
    onTestFinished(() => game.close())
    await game.bridge.sendChat({ author: 'Bot', message: 'hello' })
    for (const name of abilityNames)
      expect([name, ofCall(game.bridge, name)]).toEqual([
        name,
        // The game cannot do these: nothing is requested.
        name === 'rebindFarmhand' || name === 'announce' || name === 'changeSettings'
          ? []
          : [abilities[name].budget],
      ])
  })

  /** An edge whose farm is linked. */
  function linked() {
    const { after, newWaits } = recorder()
    const game = linkedGame({ store: memoryStore(), isResumed: true, now: Date.now, firstCall: 1, after })
    onTestFinished(() => game.close())
    const socket = { send: () => true, close() {}, lastSeen: Date.now }
    game.connected(socket, { generation: 1, run: 'run of a test' }, () => {})
    return { game, newWaits }
  }

  test('is 9 s for a call that the edge forwards, with its row of the audit, unless its endpoint names more', () => {
    const { game, newWaits } = linked()
    const waitOf = (operationId: string) => {
      const endpoint = edgeEndpoints.find((one) => one.operationId === operationId)
      if (endpoint === undefined) return expect.unreachable(operationId)
      const from = { requestId: 'r', address: '192.0.2.1' }
      game.forward(endpoint, { search: '', from, takesDiscord: false }).catch(() => undefined)
      return newWaits()
    }
    expect([waitOf('getKeys'), waitOf('createKey')]).toEqual([[9000], [9000]])
    expect(waitOf('makeBackup')).toEqual([backupBudgets.make + 3000])
    expect(waitOf('startNewFarm')).toEqual([saveBudgets.choose + 3000])
  })
})

test('an endpoint whose call of the game may take longer than usual names its budget, so that the edge waits for it', () => {
  const long = abilityNames.filter((name) => abilities[name].budget > 5000)
  const budgets = edgeEndpoints.map(({ operationId, budget }) => [operationId, budget])
  expect(long).toEqual(['deleteFarmhand', 'newGame', 'reload'])
  expect(budgets).toEqual(
    expect.arrayContaining([
      ['deleteFarmhand', abilities.deleteFarmhand.budget],
      ['createNewGame', abilities.newGame.budget],
      ['reloadWorld', abilities.reload.budget],
    ]),
  )
  for (const { method, path, budget } of edgeEndpoints)
    if (path.startsWith('/wait/')) expect([method, path, budget]).toEqual([method, path, maxWait])
})
