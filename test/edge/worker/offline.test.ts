/** Clients of an offline farm; the object of the farm can hibernate. */
import { evictDurableObject, reset } from 'cloudflare:test'
import { afterEach, expect, test } from 'vitest'
import { eventually } from '../../wait.ts'
import { alarmAfter, farm, get, health, openAuthenticated, openOrigin, type Peer, write } from './origin.ts'

afterEach(reset)

const offline = { code: 1013, reason: 'The game server is away' }
const say = { type: 'chat_send', payload: { author: 'Bot', message: 'anybody?', id: 'mine' } }

test('2 s after the link closed, a client that has used neither since nor subscribe is closed 1013, also by an object that hibernated', async () => {
  const origin = await openOrigin('run-one-1')
  const plain = await openAuthenticated()
  const resuming = await openAuthenticated({ since: 0 })
  const following = await openAuthenticated()
  following.send({ type: 'subscribe', payload: { topics: ['status'] } })
  await following.take('snapshot')
  origin.ws.close(1001, 'stopping')
  await following.take('event')
  await evictDurableObject(farm())
  await alarmAfter(1_000)
  resuming.send(say)
  expect((await resuming.take('error'))['payload']).toMatchObject({ code: 'game_unavailable', id: 'mine' })
  expect(plain.ws.readyState).toBe(WebSocket.OPEN)
  await alarmAfter(2_001)
  expect(await plain.closed).toMatchObject(offline)
  for (const client of [resuming, following]) {
    client.send(say)
    await client.take('error')
  }
})

test('a line that the same client says without a link is said when the farm is linked again, and otherwise refused by that close alone', async () => {
  const before = await openOrigin('run-one-1')
  const plain = await openAuthenticated()
  const lose = async (origin: Peer) => {
    origin.ws.close(1001, 'restart')
    await eventually(async () => expect((await get('/players')).status).toBe(503))
    plain.send(say)
  }
  await lose(before)
  const again = await openOrigin('run-two-2')
  expect(await again.take('call')).toMatchObject({
    method: 'say',
    args: [{ author: 'Bot', lines: ['anybody?'] }],
  })
  const { id } = again.heard.findLast(({ type }) => type === 'call') ?? {}
  again.send({ type: 'answer', id })
  await plain.take('chat_sent')
  await lose(again)
  expect(await plain.closed).toMatchObject(offline)
  const last = await openOrigin('run-three-3')
  const other = await openAuthenticated()
  other.send({ type: 'chat_send', payload: { author: 'Bot', message: 'another' } })
  expect(await last.take('call')).toMatchObject({ args: [{ author: 'Bot', lines: ['another'] }] })
  expect(plain.heard.map(({ type }) => type)).toEqual(['auth_success', 'chat_sent'])
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

test('when a farm is back within 2 s its clients stay connected', async () => {
  const before = await openOrigin('run-one-1')
  const plain = await openAuthenticated()
  before.ws.close(1001, 'restart')
  await openOrigin('run-two-2')
  await alarmAfter(30_000)
  plain.send({ type: 'ping', payload: {} })
  await plain.take('pong')
})

test.each([
  ['DELETE', '/farmhands', 'name=Abby', ['', 'name=Abby&playerId=1', 'playerId=x']],
  ['POST', '/farmhands/rebind', 'playerId=1&identity=1', ['playerId=1', 'playerId=1&identity=x']],
  ['POST', '/rendering', 'fps=1', ['', 'fps=241']],
  ['POST', '/time', 'value=900', ['', 'value=1275']],
  ['POST', '/roles/admin', 'name=Abby', ['', 'name=Abby&playerId=1']],
  ['POST', '/clock-speed', 'multiplier=1', ['', 'multiplier=0']],
  ['POST', '/auth/timeout', 'value=1', ['', 'value=-1']],
  ['PATCH', '/settings', { server: { maxPlayers: 8 } }, [{}, { server: { maxPlayers: 'x' } }]],
  ['POST', '/announce', { message: 'hello' }, [{}, { message: ' ' }]],
  ['POST', '/newgame', {}, [[], { startingCabins: 'x' }]],
] as const)(
  'a bad argument of %s %s is 400 while the farm is offline, as with a running game, and a good one 503 with the cause',
  async (method, path, good, bad) => {
    const origin = await openOrigin('run-one-1')
    origin.ws.close(1001, 'stopping')
    await eventually(async () => expect((await get('/players')).status).toBe(503))
    const sent = (given: string | object) =>
      typeof given === 'string'
        ? write(method, `${path}?${given}`)
        : write(method, path, JSON.stringify(given))
    for (const one of bad) {
      const answer = await sent(one)
      expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'invalid_parameter' }])
    }
    const answer = await sent(good)
    expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toMatchObject([
      503,
      '5',
      { code: 'game_unavailable', retry: true, cause: { code: 'link_down' } },
    ])
  },
)
