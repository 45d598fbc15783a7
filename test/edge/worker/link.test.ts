/** Who can open the link, what replaces it, and when it is dead. */
import { reset } from 'cloudflare:test'
import { exports } from 'cloudflare:workers'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  alarmAfter,
  expectUnknown,
  get,
  line,
  linkKey,
  openAuthenticated,
  openOrigin,
  setTime,
} from './origin.ts'

afterEach(reset)

describe('the link', () => {
  test.each([
    ['a wrong key', { Authorization: 'Bearer wrong' }],
    ["the clients' key", { Authorization: 'Bearer YXBpIGtleSB0aGF0IGlzIDMyIGJ5dGVzIGxvbmc=' }],
    ['no key', {}],
    ['two keys', { Authorization: `Bearer ${linkKey}, Bearer ${linkKey}` }],
  ])('with %s is 401 before 101', async (_what, headers) => {
    const response = await exports.default.fetch('https://edge.example/link', {
      headers: { Upgrade: 'websocket', ...headers },
    })
    expect(response.status).toBe(401)
    expect(response.webSocket).toBeNull()
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
  })

  test('the link key opens nothing but the link', async () => {
    expect((await get('/players', linkKey)).status).toBe(401)
  })

  test('a newer link replaces the old one, which is closed 4001, and its calls end', async () => {
    const client = await openAuthenticated()
    const old = await openOrigin('run-one-1')
    const asked = get('/rendering')
    await old.take('call')
    const written = setTime()
    await old.take('call')
    const newer = await openOrigin('run-two-2')
    expect((await asked).status).toBe(503)
    await expectUnknown(await written)
    newer.send(line(1, 'from the new one'))
    expect(await old.closed).toMatchObject({ code: 4001 })
    expect((await client.take('chat'))['payload']).toMatchObject({ message: 'from the new one' })
    const { generation: first } = old.heard.find(({ type }) => type === 'welcome') ?? {}
    const { generation: second } = newer.heard.find(({ type }) => type === 'welcome') ?? {}
    expect(Number(second)).toBe(Number(first) + 1)
  })

  test('a link without a heartbeat for 45 s is dead: the farm is offline', async () => {
    const origin = await openOrigin('run-one-1')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 45_000 })
    try {
      expect(await (await get('/status')).json()).toMatchObject({ isOnline: false })
      expect((await get('/players')).status).toBe(503)
    } finally {
      vi.useRealTimers()
    }
    expect(await origin.closed).toMatchObject({ code: 4408 })
  })

  test('an alarm finds a dead link while a client follows the status, and the client gets an event', async () => {
    const origin = await openOrigin('run-one-1')
    const client = await openAuthenticated()
    client.send({ type: 'subscribe', payload: { topics: ['status'] } })
    await client.take('snapshot')
    expect(await alarmAfter(45_000)).toBe(true)
    expect((await client.take('event'))['payload']).toMatchObject({
      event: 'status_changed',
      status: { isOnline: false },
    })
    expect(await origin.closed).toMatchObject({ code: 4408 })
  })

  test('requests without a key cause no call to the farm', async () => {
    const origin = await openOrigin('run-one-1')
    for (const path of ['/status', '/health', '/ready', '/players', '/cabins', '/metrics', '/nothing'])
      await exports.default.fetch(`https://edge.example${path}`)
    await exports.default.fetch('https://edge.example/time?value=1200', { method: 'POST' })
    expect(origin.heard.map(({ type }) => type).filter((type) => type !== 'look')).toEqual(['welcome'])
    // For any number of reads of the status, the farm is informed of one a minute.
    for (let count = 0; count < 20; count += 1) await exports.default.fetch('https://edge.example/status')
    expect(origin.heard.filter(({ type }) => type === 'look').length).toBeLessThanOrEqual(1)
  })
})
