/** Clients of an offline farm; the object of the farm can hibernate. */
import { evictDurableObject, reset } from 'cloudflare:test'
import { afterEach, expect, test } from 'vitest'
import { eventually } from '../../wait.ts'
import { alarmAfter, farm, get, health, openAuthenticated, openOrigin } from './origin.ts'

afterEach(reset)

const offline = { code: 1013, reason: 'The game server is away' }
const say = { type: 'chat_send', payload: { author: 'Bot', message: 'anybody?', id: 'mine' } }

test('10 s after the link closed, a client that has used neither since nor subscribe is closed 1013, also by an object that hibernated', async () => {
  const origin = await openOrigin('run-one-1')
  const plain = await openAuthenticated()
  const resuming = await openAuthenticated({ since: 0 })
  const following = await openAuthenticated()
  following.send({ type: 'subscribe', payload: { topics: ['status'] } })
  await following.take('snapshot')
  origin.ws.close(1001, 'stopping')
  await following.take('event')
  await evictDurableObject(farm())
  await alarmAfter(9_000)
  resuming.send(say)
  expect((await resuming.take('error'))['payload']).toMatchObject({ code: 'game_unavailable', id: 'mine' })
  expect(plain.ws.readyState).toBe(WebSocket.OPEN)
  await alarmAfter(10_001)
  expect(await plain.closed).toMatchObject(offline)
  for (const client of [resuming, following]) {
    client.send(say)
    await client.take('error')
  }
})

test('2 s after the farm reports that the chat of its game was reset, the same client is closed 1013, and one with since is not', async () => {
  const origin = await openOrigin('run-one-1')
  const plain = await openAuthenticated()
  const resuming = await openAuthenticated({ since: 0 })
  origin.send({ type: 'health', health: { ...health, chatLostAt: Date.now() } })
  await eventually(async () =>
    expect(await (await get('/health')).json()).toMatchObject({ gameAvailable: true }),
  )
  await evictDurableObject(farm())
  await alarmAfter(1_000)
  expect(plain.ws.readyState).toBe(WebSocket.OPEN)
  await alarmAfter(2_500)
  expect(await plain.closed).toMatchObject(offline)
  expect(resuming.ws.readyState).toBe(WebSocket.OPEN)
})

test('an alarm finds a link whose heartbeats stopped, and the client is closed', async () => {
  await openOrigin('run-one-1')
  const plain = await openAuthenticated()
  await evictDurableObject(farm())
  await alarmAfter(120_001)
  expect(await plain.closed).toMatchObject(offline)
})

test('a client of a farm that was never linked is closed 10 s after it connected', async () => {
  const plain = await openAuthenticated()
  await evictDurableObject(farm())
  await alarmAfter(10_001)
  expect(await plain.closed).toMatchObject(offline)
})

test('when a farm is back within 10 s its clients stay connected', async () => {
  const before = await openOrigin('run-one-1')
  const plain = await openAuthenticated()
  before.ws.close(1001, 'restart')
  await openOrigin('run-two-2')
  await alarmAfter(30_000)
  plain.send({ type: 'ping', payload: {} })
  await plain.take('pong')
})
