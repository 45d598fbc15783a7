/** The log lines about refused chat lines. */
import { expect, test } from 'vitest'
import { openAuthenticated } from '../../contract/chat-client.ts'
import { ownServer } from '../../contract/shared-server.ts'
import { eventually } from '../../wait.ts'
import { type NodeServer, nodeServer } from './node-server.ts'

const server = () => ownServer(nodeServer) as Promise<NodeServer>
const secret = 'what I say is my own business'
const say = (message: string) => ({ type: 'chat_send', payload: { author: 'Private Person', message } })

test('refused lines are logged at info without their text', async () => {
  const node = await server()
  const client = await openAuthenticated(node)
  client.send(say(`${secret} ${'x'.repeat(4000)}`))
  await client.settled()
  await node.farm.goOffline()
  client.send(say(secret))
  await client.take('error')
  const lines = () => node.log.filter(({ message }) => message.includes('not said into the game'))
  await eventually(() =>
    expect(lines()).toEqual([
      expect.objectContaining({
        level: 'info',
        fields: { code: 'message_too_long', lines: 1, address: '127.0.0.1' },
      }),
      expect.objectContaining({
        level: 'info',
        fields: { code: 'game_unavailable', lines: 1, address: '127.0.0.1' },
      }),
    ]),
  )
  expect(JSON.stringify(node.log)).not.toContain(secret)
  expect(JSON.stringify(node.log)).not.toContain('Private Person')
})
