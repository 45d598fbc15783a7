/** The linked game passes the suite of all bridges; its own tests are about a lost link. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { abilities, abilityNames } from '../../handlers/game-abilities.ts'
import { sampleCall } from '../bridges/contract/abilities.ts'
import { failureOf, unknownOutcome } from '../bridges/contract/expectations.ts'
import { bridgeContract } from '../bridges/contract.ts'
import { steered } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { type LinkedFarm, linkedFarm } from './linked-farm.ts'

bridgeContract('linked game', async () => {
  const { bridge, farm, close } = await linkedFarm()
  return { bridge, game: steered(farm), close }
}, [
  'connected',
  'received',
  'disconnected',
  'forward',
  'hear',
  'watch',
  'isLinked',
  'knowsNumbers',
  'lastStatus',
  'upkeep',
  'forget',
])

const ends: Readonly<Record<string, (linked: LinkedFarm) => unknown>> = {
  'the link is cut': ({ cut }) => cut(),
  'another process takes the link over': ({ replace }) => replace(),
  'the farm stops': ({ link }) => link.close(),
  'the edge closes': ({ bridge }) => bridge.close(),
  'the edge forgets the farm': ({ bridge }) => bridge.forget(),
}

async function linked(): Promise<LinkedFarm> {
  const farm = await linkedFarm()
  onTestFinished(async () => {
    await farm.bridge.close()
    await farm.close()
  })
  await eventually(() => expect(farm.bridge.isLinked()).toBe(true))
  return farm
}

describe('pending calls', () => {
  test.each(Object.entries(ends))(
    'when %s: reads are unavailable, and the outcome of writes is unknown',
    async (_how, end) => {
      const both = await linked()
      const { bridge, farm } = both
      farm.controls.fallSilent()
      const calls = abilityNames.map((name) => [name, failureOf(sampleCall(bridge, name))] as const)
      await eventually(() => expect(farm.controls.waiting).toHaveLength(calls.length))
      await end(both)
      for (const [name, failure] of calls)
        expect([name, await failure]).toEqual([
          name,
          abilities[name].effect === 'write' ? unknownOutcome : { kind: 'unavailable' },
        ])
    },
  )

  test('beyond 256 at a time are not sent, so a write among them was not made', async () => {
    const { bridge, farm, cut } = await linked()
    farm.controls.fallSilent()
    const calls = Array.from({ length: 256 }, () => failureOf(bridge.setTime(1200)))
    expect(await failureOf(bridge.setTime(1200))).toEqual({ kind: 'unavailable' })
    await eventually(() => expect(farm.controls.writes).toBe(256))
    cut()
    expect(new Set((await Promise.all(calls)).map(({ kind }) => kind))).toEqual(new Set(['timeout']))
  })
})
