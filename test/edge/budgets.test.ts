/** Time limits: every bridge gives a call the time in the table of abilities, and the link one second more. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { linkedGame } from '../../bridges/linked/linked-game.ts'
import { type AbilityName, abilities, abilityNames } from '../../handlers/game-abilities.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
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

  test('at the linked game is one second more than in the table: 131 s for a new world', async () => {
    const { after, ofCall } = recorder()
    const game = linkedGame({ store: memoryStore(), isResumed: true, now: Date.now, firstCall: 1, after })
    onTestFinished(() => game.close())
    const socket = { send: () => true, close() {}, lastSeen: Date.now }
    game.connected(socket, { generation: 1, run: 'run of a test' }, () => {})
    for (const name of abilityNames)
      expect([name, ofCall(game, name)]).toEqual([name, [abilities[name].budget + 1000]])
    expect(ofCall(game, 'newGame')).toEqual([131_000])
  })
})
