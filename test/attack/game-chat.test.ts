/** A game server that sends any text on its chat: farmgate's own clients get well-formed lines only. */
import * as v from 'valibot'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { timestamp } from '../../handlers/game-records.ts'
import { startPair } from '../bridges/upstream/pair.ts'
import { tenthOfBudgets } from '../bridges/upstream-game.ts'
import { openAuthenticated } from '../contract/chat-client.ts'
import { eventually } from '../wait.ts'

const chat = (payload: string) => `{"type":"chat","payload":${payload}}`

/** Texts of a game on an open chat. None of them disturbs the lines around it. */
const texts: readonly string[] = [
  '',
  ' ',
  '7',
  'null',
  'true',
  '"chat"',
  '[]',
  '[{"type":"chat"}]',
  '{}',
  '{"type":7}',
  '{"type":null}',
  '{"type":["chat"]}',
  '{"type":"chat"}',
  '{"type":"nothing"}',
  '{"type":"__proto__"}',
  '{"__proto__":{"type":"chat"}}',
  '{"type":"auth_success"}',
  '{"type":"pong"}',
  '{"type":"ping"}',
  '{"type":"chat_sent","payload":{"id":1}}',
  '{"type":"gap","payload":{"from":1,"to":2}}',
  '{"type":"event","payload":{}}',
  '{',
  `${'['.repeat(20_000)}`,
  `{"type":"chat","payload":${'['.repeat(5000)}${']'.repeat(5000)}}`,
  chat('null'),
  chat('7'),
  chat('[]'),
  chat('{}'),
  chat('{"playerName":"Abby"}'),
  chat('{"message":"x"}'),
  chat('{"playerName":null,"message":"x"}'),
  chat('{"playerName":7,"message":"x"}'),
  chat('{"playerName":"Abby","message":["x"]}'),
  chat('{"playerName":"Abby","message":"x","timestamp":7}'),
  chat('{"playerName":"Abby","message":"x","timestamp":"never"}'),
  chat('{"playerName":"Abby","message":"x","timestamp":"10000-01-01T00:00:00Z"}'),
  chat('{"playerName":"","message":""}'),
  chat('{"playerName":"\\ud800","message":"\\udc00"}'),
  chat('{"playerName":"<b>","message":"<script>alert(1)</script>"}'),
  chat('{"playerName":"a\\u0000b","message":"c\\r\\nd\\u202e"}'),
  chat(`{"playerName":"${'x'.repeat(50_000)}","message":"y"}`),
  chat('{"playerName":"Abby","message":"x","seq":1,"extra":{"a":[]}}'),
  chat('{"playerName":"Abby","message":"x"},"type":"event"'),
]
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
