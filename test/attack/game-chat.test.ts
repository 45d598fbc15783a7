/** A game server that sends any text on its chat: farmgate's own clients get well-formed lines only. */
import * as v from 'valibot'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { timestamp } from '../../handlers/game-records.ts'
import { startPair } from '../bridges/upstream/pair.ts'
import { tenthOfBudgets } from '../bridges/upstream-game.ts'
import { openAuthenticated } from '../contract/chat-client.ts'
import { eventually } from '../wait.ts'
import { texts } from './game/chat-texts.ts'

const line = v.strictObject({
  type: v.literal('chat'),
  payload: v.strictObject({
    playerName: v.string(),
    message: v.string(),
    timestamp,
    seq: v.pipe(v.number(), v.safeInteger()),
  }),
})

let pair: Awaited<ReturnType<typeof startPair>>
beforeEach(async () => {
  pair = await startPair({
    limits: tenthOfBudgets,
  })
  onTestFinished(pair.close)
})
const client = () => openAuthenticated({ wsUrl: `${pair.gate.url.replace('http', 'ws')}/ws`, key: '' })
/** Sends a line into the game, and one out of it. */
async function expectChat(): Promise<void> {
  const { bridge, server } = pair
  await eventually(() => bridge.sendChat({ author: 'Bot', message: 'in' }))
  const witness = await client()
  server.world.say('Abby', 'out')
  await eventually(() =>
    expect(witness.messages('chat').at(-1)).toMatchObject({ payload: { message: 'out' } }),
  )
}

test('any text of a game is a well-formed line or no line, and its neighbours are numbered without a hole', async () => {
  const { server } = pair
  await expectChat()
  const witness = await client()
  for (const text of texts) {
    server.chat.sendRaw(text)
    server.world.say('Abby', `after ${text.slice(0, 50)}`)
  }
  server.world.say('Abby', 'the last')
  await eventually(() => expect(witness.texts.at(-1)).toContain('the last'))
  const lines = witness.texts.slice(1).map((text) => v.parse(v.pipe(v.string(), v.parseJson(), line), text))
  expect(lines.filter(({ payload }) => payload.message.startsWith('after '))).toHaveLength(texts.length)
  const [first] = lines
  expect(lines.map(({ payload }) => payload.seq)).toEqual(
    lines.map((_line, at) => (first?.payload.seq ?? 0) + at),
  )
})
