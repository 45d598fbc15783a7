/** `POST /announce`, called with a plain object as the game. */
import { expect, test } from 'vitest'
import { fails, remembered } from '../plain-game.ts'
import { ask, problem } from './ask.ts'

const said = (message: unknown) => ({ body: JSON.stringify({ message }) })
const cannotAnnounce = fails({ kind: 'unsupported', what: 'say a line as the server' })

test('the line is said to all players as the server', async () => {
  const { asked, write } = remembered(undefined)
  expect(await ask('announce', { announce: write }, said('The farm\nrestarts at 6 '))).toEqual({
    success: true,
    message: 'Announced to all players',
  })
  expect(asked).toEqual([['The farm restarts at 6']])
})

test('if the game cannot do that, it is said as chat with the author Server', async () => {
  const { asked, write } = remembered(undefined)
  await ask('announce', { announce: cannotAnnounce, sendChat: write }, said('hello'))
  expect(asked).toEqual([[{ author: 'Server', message: 'hello' }]])
})

test('a line that might have been said is not said again as chat', async () => {
  const lost = fails({ kind: 'timeout', write: true })
  expect((await problem('announce', { announce: lost }, said('hello'))).code).toBe('game_timeout')
})

test.each([
  ['missing', '{}'],
  ['blank', '{"message":" \\n "}'],
  ['empty', '{"message":""}'],
  ['no text', '{"message":7}'],
  ['longer than 450 characters', `{"message":"${'m'.repeat(451)}"}`],
])('a message that is %s is 400 and makes no request to the game', async (_what, body) => {
  const { code, details } = await problem('announce', {}, { body })
  expect([code, details.parameter]).toEqual(['invalid_parameter', 'message'])
})

test('an unknown member is refused by its name', async () => {
  const { message } = await problem('announce', {}, { body: '{"message":"hi","author":"Abby"}' })
  expect(message).toBe("Member 'author' is not known")
})
