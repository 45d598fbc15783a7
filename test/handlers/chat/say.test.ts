import { expect, test } from 'vitest'
import { sayLines } from '../../../handlers/chat/say.ts'
import { GameError } from '../../../handlers/game-error.ts'

/** A game that takes so many lines and then fails. */
const failing = (after: number, kind: 'unavailable' | 'timeout') => {
  let taken = 0
  return {
    async sendChat() {
      if (taken === after)
        throw new GameError(kind === 'timeout' ? { kind, write: true } : { kind: 'unavailable' })
      taken += 1
    },
  }
}
const say = (game: Parameters<typeof sayLines>[0]) => sayLines(game, 'Discord', ['one', 'two'], () => {})

test('nothing is told of a message that was delivered', async () => {
  expect(await say(failing(9, 'unavailable'))).toBeUndefined()
})

test('game down: error game_unavailable, which says whether the message was delivered', async () => {
  for (const [game, words] of [
    [failing(0, 'unavailable'), 'was not delivered'],
    [failing(1, 'unavailable'), 'only the beginning of the message was delivered'],
    [failing(1, 'timeout'), 'whether the message was delivered is unknown'],
  ] as const) {
    const { type, payload } = JSON.parse((await say(game)) ?? '{}')
    expect([type, payload.code]).toEqual(['error', 'game_unavailable'])
    expect(payload.error).toContain(words)
  }
})
