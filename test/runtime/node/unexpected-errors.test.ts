/** An unexpected error during a write: over HTTP and in the chat, its outcome is unknown. */

import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { steeredFarm } from '../../bridges/simulated/steered-farm.ts'
import { openAuthenticated } from '../../contract/chat-client.ts'
import { askWithKey } from '../../contract/request.ts'
import { ownServer } from '../../contract/shared-server.ts'
import { newFolder } from '../../new-folder.ts'
import { memoryRecords } from '../../records/memory-records.ts'
import { eventually } from '../../wait.ts'
import { serving } from './farmgate-process.ts'
import { type NodeServer, nodeServer } from './node-server.ts'
import { openedFarm } from './open-farm.ts'

async function serverWithBug() {
  const bug = () => Promise.reject(new Error('a bug'))
  const game = {
    ...steeredFarm(),
    setTime: bug,
    sendChat: bug,
  }
  onTestFinished(() => game.close())
  const server = await nodeServer({ server: { game } })
  onTestFinished(() => server.stop())
  const newest = async () => (await server.records.of('local').audit({ limit: 1 })).entries[0]
  return { server, game, newest }
}

test('an error while the response is made is 500 with the usual message, and one line of the log; nothing else is written', async () => {
  const written = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  onTestFinished(() => void vi.restoreAllMocks())
  const { server, game } = await serverWithBug()
  game.health = () => {
    throw new Error('a bug')
  }
  const { status, json } = await askWithKey(server, 'GET', '/players')
  expect([status, json]).toEqual([
    500,
    { success: false, error: 'Internal server error', code: 'internal_error' },
  ])
  expect(server.log).toContainEqual({
    level: 'error',
    message: 'request failed',
    fields: { requestId: expect.any(String), cause: expect.stringContaining('a bug') },
  })
  expect(written.mock.calls).toEqual([])
})

test('a write that ends with an unexpected error is unknown in the audit: it might have been made', async () => {
  const { server, newest } = await serverWithBug()
  expect((await askWithKey(server, 'POST', '/time?value=1200')).status).toBe(500)
  expect(await newest()).toMatchObject({ action: 'setTime', outcome: 'unknown', status: 500 })
})

test('a chat line that ends with an unexpected error is unknown in the audit and for its client', async () => {
  const { server, newest } = await serverWithBug()
  const client = await openAuthenticated(server)
  client.send({ type: 'chat_send', payload: { author: 'Discord', message: 'hello', id: 1 } })
  expect((await client.take('error')).payload).toMatchObject({ code: 'outcome_unknown', id: 1 })
  expect(await newest()).toMatchObject({ action: 'chat_send', outcome: 'unknown' })
})

test('a write is answered after its row of the audit is complete, and reads do not wait for it', async () => {
  const order: string[] = []
  const asked = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const records = memoryRecords()
  const server = await nodeServer({
    server: {
      records: {
        ...records,
        async endedWrite(...args) {
          asked.resolve()
          await held.promise
          await records.endedWrite(...args)
          order.push('the row is complete')
        },
      },
    },
  })
  onTestFinished(() => server.stop())
  const write = askWithKey(server, 'POST', '/time?value=1200').then(() => order.push('the write is answered'))
  await asked.promise
  expect((await askWithKey(server, 'GET', '/players')).status).toBe(200)
  order.push('a read is answered')
  held.resolve()
  await write
  expect(order).toEqual(['a read is answered', 'the row is complete', 'the write is answered'])
})

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

const key = 'a-key-of-at-least-sixteen-characters'

test('a kill -9 right after the answer to a write does not lose its row of the audit', async () => {
  const folder = join(newFolder(), 'data')
  for (let round = 1; round <= 2; round += 1) {
    const first = await serving({ API_KEY: key, DATA_DIR: folder })
    const reply = await fetch(`${first.url}/rendering?fps=${round}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
    })
    first.signal('SIGKILL')
    await first.exited
    expect(reply.status).toBe(200)
  }
  const last = await openedFarm({ API_KEY: key, DATA_DIR: folder })
  const { json } = await askWithKey({ url: last.url, key }, 'GET', '/audit')
  expect(Object(json)['entries']).toMatchObject(
    ['2', '1'].map((fps) => ({
      action: 'setRendering',
      parameters: { fps },
      outcome: 'done',
      status: 200,
    })),
  )
})
