/** When the chat socket to the game counts as lost, by which old clients of `/ws` are closed. */
import { expect, test } from 'vitest'
import { eventually } from '../wait.ts'
import { reachedGame } from './own-game.ts'

const limits = { pingEvery: 50, pongWithin: 50, chatOpensWithin: 50 }

test('a chat socket that the game resets or refuses is lost until it is open again', async () => {
  const { bridge, server } = await reachedGame()
  await eventually(() => expect(server.chat.count).toBe(1))
  expect(bridge.health()).not.toHaveProperty('chatLostAt')
  await server.down()
  await eventually(() => expect(bridge.health().chatLostAt).toEqual(expect.any(Number)))
  await server.up()
  await eventually(() => expect(bridge.health()).not.toHaveProperty('chatLostAt'))
})

test('a chat socket on which the game only stops answering is not lost', async () => {
  const { bridge, server } = await reachedGame({ limits })
  await eventually(() => expect(server.chat.count).toBe(1))
  server.chat.state.isSilent = true
  const { opened } = server.chat.state
  await eventually(() => expect(server.chat.state.opened).toBeGreaterThan(opened + 1))
  expect(bridge.health()).not.toHaveProperty('chatLostAt')
})

test('a key that the chat refuses is no lost socket: connecting again does not help an old client', async () => {
  const { bridge, server } = await reachedGame({ key: 'a key of the game' })
  await eventually(() => expect(server.chat.count).toBe(1))
  server.state.chatKey = 'another key'
  server.chat.drop()
  await eventually(() => expect(server.chat.state.opened).toBe(2))
  await eventually(() => expect(bridge.health()).not.toHaveProperty('chatLostAt'))
})
