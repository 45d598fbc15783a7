import { expect, test } from 'vitest'
import { sayLines } from '../../../handlers/chat/say.ts'
import { FarmError, type FarmFailure } from '../../../handlers/farm-error.ts'

/** A game that accepts some lines and then fails. */
const failing = (after: number, error: unknown) => {
  let taken = 0
  return {
    async sendChat() {
      if (taken === after) throw error
      taken += 1
    },
  }
}
const failure = (what: FarmFailure) => new FarmError(what)
const say = (game: Parameters<typeof sayLines>[0]) =>
  sayLines(game, 'Discord', ['one', 'two'], { maySay: () => true, onSaid: () => {} })

test('a delivered message produces no error', async () => {
  expect(await say(failing(9, failure({ kind: 'unavailable' })))).toBeUndefined()
})

test('a line that was certainly not sent is game_unavailable', async () => {
  for (const what of [
    { kind: 'unavailable' },
    { kind: 'not_ready' },
    { kind: 'timeout', write: false },
    { kind: 'bad_response', detail: 'refused before it was sent' },
    { kind: 'unsupported', what: 'chat' },
  ] satisfies FarmFailure[])
    expect(await say(failing(0, failure(what)))).toEqual({
      code: 'game_unavailable',
      error: 'The game server is not reachable; the message was not delivered',
      lines: 2,
    })
})

test('when only the beginning was delivered, the error says so', async () => {
  expect(await say(failing(1, failure({ kind: 'unavailable' })))).toEqual({
    code: 'game_unavailable',
    error: 'The game server is no longer reachable; only the beginning of the message was delivered',
    lines: 1,
  })
})

test('a line whose answer is lost is outcome_unknown', async () => {
  for (const error of [
    failure({ kind: 'timeout', write: true }),
    failure({ kind: 'bad_response', write: true, detail: 'no JSON' }),
    new Error('a bug'),
  ])
    expect(await say(failing(1, error))).toEqual({
      code: 'outcome_unknown',
      error: 'The answer of the game server was lost; whether the message was delivered is unknown',
      lines: 1,
    })
})
