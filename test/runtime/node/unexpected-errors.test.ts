/** An unexpected error during a write: over HTTP and in the chat, its outcome is unknown. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { simulatedFarm } from '../../../bridges/simulated/simulated-farm.ts'
import { systemClock } from '../../../lib/clock.ts'
import { openAuthenticated } from '../../contract/chat-client.ts'
import { askWithKey } from '../../contract/request.ts'
import { nodeServer } from './node-server.ts'

async function serverWithBug() {
  const bug = () => Promise.reject(new Error('a bug'))
  const game = {
    ...simulatedFarm({
      seed: 'contract',
      speed: 1,
      clock: systemClock,
      version: '1.0.0',
      story: 'steered',
    }),
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
