/** How the lines of clients are sent to the game, and how refused lines are reported; without a socket. */
import { describe, expect, test } from 'vitest'
import { FarmError } from '../../../handlers/farm-error.ts'
import { aRoom, payloads, settled, types } from './a-room.ts'

const unavailable = () => Promise.reject(new FarmError({ kind: 'unavailable' }))

test('lines are sent to the game one after another, in the order in which clients sent them', async () => {
  const said: string[] = []
  const waiting: (() => void)[] = []
  const { authenticated, send, counts } = aRoom({
    sendChat: ({ message }) => {
      said.push(message)
      return new Promise<void>((resolve) => void waiting.push(resolve))
    },
  })
  const client = authenticated()
  for (const message of ['one', 'two'])
    send(client, { type: 'chat_send', payload: { author: 'Bot', message } })
  await settled()
  expect(said).toEqual(['one'])
  waiting.shift()?.()
  await settled()
  expect([said, counts.linesSaid.total]).toEqual([['one', 'two'], 1])
})

test('a client whose line waits for the game delays no other client', async () => {
  const said: string[] = []
  const { authenticated, send } = aRoom({
    sendChat: async ({ author, message }) => {
      if (author === 'Stuck') await new Promise(() => undefined)
      said.push(message)
    },
  })
  send(authenticated(), { type: 'chat_send', payload: { author: 'Stuck', message: 'never' } })
  send(authenticated(), { type: 'chat_send', payload: { author: 'Other', message: 'at once' } })
  await settled()
  expect(said).toEqual(['at once'])
})

describe('chat_send with an id', () => {
  const say = { type: 'chat_send', payload: { author: 'Bot', message: 'hello', id: 'mine' } }

  test('is answered by chat_sent once all its lines were said', async () => {
    const said = Promise.withResolvers<void>()
    const { authenticated, send } = aRoom({ sendChat: () => said.promise })
    const client = authenticated()
    send(client, say)
    await settled()
    expect(types(client)).toEqual(['auth_success'])
    said.resolve()
    await settled()
    expect(client.heard.at(-1)).toEqual({ type: 'chat_sent', payload: { id: 'mine' } })
  })

  test('is repeated in the error when it was not said', async () => {
    const { authenticated, send } = aRoom({ sendChat: unavailable })
    const client = authenticated()
    send(client, say)
    await settled()
    expect(payloads(client, 'error')).toEqual([
      { code: 'game_unavailable', error: expect.any(String), id: 'mine' },
    ])
  })

  test('without an id nothing is answered', async () => {
    const { authenticated, send } = aRoom({ sendChat: async () => undefined })
    const client = authenticated()
    send(client, { type: 'chat_send', payload: { author: 'Bot', message: 'hello' } })
    await settled()
    expect(types(client)).toEqual(['auth_success'])
  })
})

test('a line that cannot be said is answered by error, and the connection stays', async () => {
  const { authenticated, send } = aRoom({ sendChat: unavailable })
  const client = authenticated()
  send(client, { type: 'chat_send', payload: { author: 'Bot', message: 'anybody?' } })
  await settled()
  expect(payloads(client, 'error')).toEqual([
    { code: 'game_unavailable', error: expect.stringContaining('not delivered') },
  ])
  expect(client.closed).toBeUndefined()
})

test('lines that were not said are reported to the metric and the log with their error code', async () => {
  const { authenticated, send, refused } = aRoom({ sendChat: unavailable })
  const client = authenticated()
  send(client, { type: 'chat_send', payload: { author: 'Bot', message: '' } })
  send(client, { type: 'chat_send', payload: { author: 'Bot', message: 'x'.repeat(900) } })
  await settled()
  expect(refused).toEqual([
    ['invalid_payload', 1],
    ['game_unavailable', 2],
  ])
})
