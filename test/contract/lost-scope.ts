/**
 * A key that loses its scope `read` during a chat connection and a long poll: at the farm's own port and at the edge.
 */
import { expect } from 'vitest'
import { eventually } from '../wait.ts'
import { openAuthenticated } from './chat-client.ts'
import { ask, askWithKey, expectProblem } from './request.ts'
import type { ServerUnderTest } from './server-under-test.ts'

/**
 * @param server with a key that has `read`, and the farm that it and the edge show @param lose takes every scope but
 * `control` from that key @param hasBegun waits until the long poll is pending
 */
export async function expectSilenceAfter(
  server: Pick<ServerUnderTest, 'url' | 'wsUrl' | 'key' | 'farm'>,
  listener: Pick<ServerUnderTest, 'wsUrl' | 'key'>,
  lose: () => void,
  hasBegun: () => Promise<unknown>,
): Promise<void> {
  const { farm } = server
  await farm.join({ id: 51n, name: 'Abby' })
  const client = await openAuthenticated(server)
  client.send({ type: 'subscribe', payload: { topics: ['players', 'status'] } })
  await client.take('snapshot')
  await farm.say(51n, 'while it may hear')
  await client.take('chat')
  const poll = askWithKey(server, 'GET', '/wait/players?playerId=999&timeout=20000')
  await hasBegun()

  lose()
  await eventually(async () =>
    expectProblem(await askWithKey(server, 'GET', '/players'), 403, 'insufficient_scope', { scope: 'read' }),
  )
  expectProblem(await poll, 403, 'insufficient_scope', { scope: 'read' })
  await client.settled()
  const before = client.texts.length
  const other = await openAuthenticated(listener)
  other.send({ type: 'subscribe', payload: { topics: ['players'] } })
  await other.take('subscribed')
  await farm.join({ id: 52n, name: 'Sam' })
  await farm.say(52n, 'not for it')
  await other.take('event')
  await eventually(() =>
    expect(other.messages('chat').at(-1)?.payload).toMatchObject({ message: 'not for it' }),
  )
  await client.settled()
  expect(client.messages().slice(before)).toEqual([expect.objectContaining({ type: 'pong' })])

  for (const [message, scope] of [
    [{ type: 'chat_send', payload: { author: 'Bot', message: 'hello' } }, 'chat'],
    [{ type: 'subscribe', payload: { topics: ['players'] } }, 'read'],
  ] as const) {
    client.send(message)
    expect((await client.take('error')).payload).toMatchObject({ code: 'insufficient_scope', scope })
  }
  expect((await ask(server, 'GET', '/ready')).status).toBe(200)
}
