/**
 * An object that hibernates or is evicted keeps only its storage and attachments: chat clients, and the lines for them.
 */
import { evictDurableObject, reset, runInDurableObject } from 'cloudflare:test'
import { createHash } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import type { FarmObject } from '../../../runtime/edge/farm-object.ts'
import { eventually } from '../../wait.ts'
import {
  alarmAfter,
  apiKey,
  farm,
  line,
  messages,
  openAuthenticated,
  openClient,
  openOrigin,
  status,
} from './origin.ts'

afterEach(reset)

describe('after hibernation', () => {
  test('an authenticated client receives the next line, and its own messages are handled', async () => {
    const origin = await openOrigin('run-one-1')
    const client = await openAuthenticated()
    await evictDurableObject(farm())
    origin.send(line(1, 'still here?'))
    expect((await client.take('chat'))['payload']).toMatchObject({ message: 'still here?' })
    await evictDurableObject(farm())
    client.send({ type: 'chat_send', payload: { author: 'Bot', message: 'yes' } })
    const call = await origin.take('call')
    expect(call).toMatchObject({ method: 'say', args: [{ author: 'Bot', lines: ['yes'] }] })
    origin.send({ type: 'answer', id: call['id'] })
  })

  test('the named keys of the farm are kept, and a client whose key is revoked is closed', async () => {
    const origin = await openOrigin('run-one-1')
    const key = `fg_0a_${'x'.repeat(43)}`
    const digest = createHash('sha256').update(key).digest('hex')
    origin.send({ type: 'keys', keys: [{ id: '0a', name: 'bot', scopes: ['chat'], digest }] })
    const client = await eventually(() => openAuthenticated({ token: key }))
    await evictDurableObject(farm())
    origin.send(line(1, 'after'))
    expect((await client.take('chat'))['payload']).toMatchObject({ message: 'after' })
    await evictDurableObject(farm())
    origin.send({ type: 'keys', keys: [] })
    expect(await client.closed).toEqual({ code: 1008, reason: 'The key is no longer valid' })
  })

  test('the rate limit of a client’s lines keeps its count', async () => {
    const origin = await openOrigin('run-one-1')
    origin.ws.addEventListener('message', ({ data }: MessageEvent) => {
      const { type, id } = JSON.parse(String(data))
      if (type === 'call') origin.send({ type: 'answer', id })
    })
    const client = await openAuthenticated()
    const say = (id: number) =>
      client.send({ type: 'chat_send', payload: { author: 'Bot', message: 'again', id } })
    for (let id = 1; id <= 60; id += 1) say(id)
    await eventually(() => expect(client.heard.at(-1)).toEqual({ type: 'chat_sent', payload: { id: 60 } }))
    await evictDurableObject(farm())
    for (let id = 61; id <= 119; id += 1) say(id)
    expect((await client.take('error'))['payload']).toMatchObject({ code: 'rate_limited' })
  })

  test('an unauthenticated client can still authenticate, and is sent no line before', async () => {
    const origin = await openOrigin('run-one-1')
    const client = await openClient()
    await evictDurableObject(farm())
    const witness = await openAuthenticated()
    origin.send(line(1, 'not public'))
    await witness.take('chat')
    expect(client.heard).toEqual([])
    client.send({ type: 'auth', payload: { token: apiKey } })
    await client.take('auth_success')
    origin.send(line(2, 'for both'))
    expect((await client.take('chat'))['payload']).toMatchObject({ message: 'for both' })
  })

  test('a client that has not authenticated within 10 s is closed by an alarm', async () => {
    const client = await openClient()
    await evictDurableObject(farm())
    // Not due yet: the alarm is set again and the client stays.
    await alarmAfter(0)
    expect(client.heard).toEqual([])
    await alarmAfter(10_001)
    expect(await client.take('auth_failed')).toMatchObject({ error: 'Authentication timeout' })
    expect(await client.closed).toMatchObject({ code: 1008 })
  })

  test('a subscribed client keeps receiving events, and the farm does not need the topics again', async () => {
    const origin = await openOrigin('run-one-1')
    const client = await openAuthenticated()
    client.send({ type: 'subscribe', payload: { topics: ['status'] } })
    expect(await origin.take('watch')).toMatchObject({ topics: ['status'] })
    const snapshot = await client.take('snapshot')
    await evictDurableObject(farm())
    origin.send({
      type: 'event',
      event: { type: 'status_changed', status: { ...status, timeOfDay: 910, version: 8 } },
    })
    const event = await client.take('event')
    expect(event['payload']).toMatchObject({ topic: 'status', event: 'status_changed' })
    const eventSeq = (message: Readonly<Record<string, unknown>>) =>
      (message['payload'] as { eventSeq: number }).eventSeq
    expect(eventSeq(event)).toBeGreaterThan(eventSeq(snapshot))
  })

  test('the numbering of lines continues, kept lines are sent to clients, and a line that the farm repeats is stored once', async () => {
    const origin = await openOrigin('run-one-1')
    const first = await openAuthenticated()
    origin.send(line(1, 'one'))
    origin.send(line(2, 'two'))
    await eventually(() => expect(messages(first)).toHaveLength(2))
    await evictDurableObject(farm())
    origin.send(line(2, 'two'))
    origin.send(line(3, 'three'))
    await eventually(() => expect(messages(first)).toHaveLength(3))
    const [one, two, three] = messages(first).map(({ seq }) => seq)
    expect([two, three]).toEqual([Number(one) + 1, Number(one) + 2])
    const again = await openAuthenticated({ since: one })
    await eventually(() => expect(messages(again).map(({ message }) => message)).toEqual(['two', 'three']))
  })

  test('kept lines have at most 768 KiB together, over hibernation too, and deleted ones are reported as a gap', async () => {
    const origin = await openOrigin('run-one-1')
    const first = await openAuthenticated()
    const say = async (from: number, to: number, message: string) => {
      for (let n = from; n <= to; n += 1) origin.send(line(n, message))
      await eventually(() => expect(messages(first)).toHaveLength(to))
    }
    const storedBytes = () =>
      runInDurableObject(farm(), (_: FarmObject, { storage }) =>
        Number([...storage.sql.exec('SELECT sum(octet_length(text)) AS bytes FROM lines')][0]?.['bytes']),
      )
    const reported = async () => {
      const client = await openAuthenticated({ since: messages(first)[0]?.seq })
      client.send({ type: 'subscribe', payload: { topics: ['status'] } })
      await client.take('subscribed')
      return { gaps: client.heard.filter(({ type }) => type === 'gap').length, lines: messages(client) }
    }
    await say(1, 6, 'x'.repeat(100_000))
    await evictDurableObject(farm())
    await say(7, 12, 'x'.repeat(100_000))
    expect(await reported()).toEqual({ gaps: 1, lines: messages(first).slice(-7) })
    expect(await storedBytes()).toBeLessThanOrEqual(768 * 1024)

    await say(13, 13, 'é'.repeat(400_000))
    expect(await reported()).toEqual({ gaps: 1, lines: [] })
    await evictDurableObject(farm())
    origin.send(line(13, 'sent again'))
    await say(14, 14, 'small')
    expect(await reported()).toEqual({ gaps: 1, lines: messages(first).slice(-1) })
    expect(messages(first).at(-1)?.seq).toBe(Number(messages(first)[0]?.seq) + 13)
  })

  test('the numbering continues over a restart of the origin', async () => {
    const before = await openOrigin('run-one-1')
    const client = await openAuthenticated()
    before.send(line(1, 'old process'))
    await client.take('chat')
    before.ws.close(1001, 'restart')
    await evictDurableObject(farm())
    const after = await openOrigin('run-two-2')
    after.send(line(1, 'new process'))
    await eventually(() => expect(messages(client)).toHaveLength(2))
    const [old, fresh] = messages(client)
    expect(fresh?.seq).toBe(Number(old?.seq) + 1)
  })

  test('an object whose numbers a farm has ended, with an earlier release, continues with those of the next farm, and says so by a gap', async () => {
    const next = Date.now() * 1000
    const madeUp = Number.MAX_SAFE_INTEGER
    const before = await openOrigin('run-one-1', { numbers: { from: next, next } })
    const first = await openAuthenticated()
    before.send(line(next, 'good'))
    await first.take('chat')
    before.ws.close(1001, 'stopping')
    await runInDurableObject(farm(), (_: FarmObject, { storage }) => {
      storage.sql.exec("INSERT INTO lines VALUES (2, ?, '{}', 'run-one-1', ?)", madeUp, madeUp)
    })
    await evictDurableObject(farm())
    const origin = await openOrigin('run-two-2', { numbers: { from: next, next: next + 5 } })
    expect(origin.heard.find(({ type }) => type === 'welcome')).toMatchObject({ newest: next })
    origin.send(line(next + 5, 'after'))
    const returning = await openAuthenticated({ since: next })
    expect((await returning.take('gap'))['payload']).toEqual({ from: next + 1, to: next + 4 })
    expect(messages(returning)).toMatchObject([{ seq: next + 5, message: 'after' }])
    const ahead = await openAuthenticated({ since: madeUp })
    await origin.take('numbers')
    origin.send({ type: 'numbers', next: next + 6 })
    expect((await ahead.take('gap'))['payload']).toEqual({ from: null, to: next + 5 })
  })

  test('an exact ping is answered without waking the object', async () => {
    const client = await openAuthenticated()
    await evictDurableObject(farm())
    client.send('{"type":"ping"}')
    await client.take('pong')
    // A sleeping object cannot be evicted.
    await expect(evictDurableObject(farm())).rejects.toThrow()
  })

  test('the attachment of a socket stays far below the limit of the platform', async () => {
    const client = await openAuthenticated()
    client.send({ type: 'subscribe', payload: { topics: ['players', 'status', 'cabins'] } })
    await client.take('subscribed')
    const sizes = await runInDurableObject(farm(), (_: FarmObject, ctx) =>
      ctx.getWebSockets('client').map((ws) => JSON.stringify(ws.deserializeAttachment()).length),
    )
    for (const size of sizes) expect(size).toBeLessThan(2048)
  })
})
