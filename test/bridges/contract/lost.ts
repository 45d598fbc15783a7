import { describe, expect, test } from 'vitest'
import type { FarmFailure } from '../../../handlers/farm-error.ts'
import { type AbilityName, abilities, abilityNames } from '../../../handlers/game-abilities.ts'
import type { GameBridge } from '../../../handlers/game-bridge.ts'
import { problemBody, problemOf } from '../../../handlers/problem.ts'
import { eventually } from '../../wait.ts'
import type { SteeredGame } from '../steered-game.ts'
import { maybeMissing, sampleCall } from './abilities.ts'
import { failureOf, type Start, started, unknownOutcome } from './expectations.ts'

/** Calls an ability of a silent game, and loses the game once it has received the call. @param lose loses the game */
async function lostWhileAsked(
  bridge: GameBridge,
  game: SteeredGame,
  name: AbilityName,
  lose: () => unknown = () => game.goOffline(),
): Promise<FarmFailure> {
  // The chat socket of the game is open.
  await bridge.sendChat({ author: 'Bot', message: 'hello' })
  await game.fallSilent()
  const failure = failureOf(sampleCall(bridge, name))
  let isOver = false
  void failure.then(() => {
    isOver = true
  })
  await eventually(() => expect(isOver || game.unanswered().includes(name)).toBe(true))
  if (isOver) expect(maybeMissing).toContain(name)
  await lose()
  return failure
}

const named = (effect: 'read' | 'write') => abilityNames.filter((name) => abilities[name].effect === effect)

export function lostContract(start: Start): void {
  describe('a game that is lost during a call', () => {
    test.each(named('write'))('in %s: whether the change was made is unknown', async (name) => {
      const { bridge, game } = await started(start)
      const failure = await lostWhileAsked(bridge, game, name)
      if (failure.kind !== 'unsupported') expect(failure).toEqual(unknownOutcome)
    })

    test.each(named('write'))(
      'because the bridge is closed, in %s: whether the change was made is unknown',
      async (name) => {
        const { bridge, game } = await started(start)
        const failure = await lostWhileAsked(bridge, game, name, () => bridge.close())
        if (failure.kind !== 'unsupported') expect(failure).toEqual(unknownOutcome)
      },
    )

    test.each(named('read'))('in %s: the game is unavailable, and trying again is safe', async (name) => {
      const { bridge, game } = await started(start)
      expect(await lostWhileAsked(bridge, game, name)).toEqual({ kind: 'unavailable' })
    })

    test('a write whose answer is lost is 504 game_timeout, outcome unknown, without retry', async () => {
      const { bridge, game } = await started(start)
      const problem = problemOf(await lostWhileAsked(bridge, game, 'setTime'))
      expect(problem.status).toBe(504)
      expect(problemBody(problem)).toEqual({
        success: false,
        code: 'game_timeout',
        error: 'The game server did not answer; whether the change was made is unknown',
      })
      expect(problem.details.retryAfter).toBeUndefined()
    })
  })
}
