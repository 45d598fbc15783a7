/** The answers to `auth`, and what a client can do before it. */
import { describe, expect, test } from 'vitest'
import { eventually } from '../../wait.ts'
import { openAuthenticated, openChat } from '../chat-client.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { ownServer, sharedServer } from '../shared-server.ts'

export function chatAuthContract({ start, exempt = [] }: RuntimeUnderTest): void {
  describe('auth', () => {
    const server = sharedServer(start)
    const firstMessage = async (message: unknown) => {
      const client = await openChat(server())
      client.send(message)
      return { client, closing: await client.closed }
    }

    test('auth with the right key: auth_success, then messages are sent', async () => {
      const client = await openChat(server())
      client.send({ type: 'auth', payload: { token: server().key } })
      await client.take('auth_success')
      await server().farm.join({ id: 901n, name: 'Speaker' })
      await server().farm.say(901n, 'flows')
      expect((await client.take('chat')).payload).toMatchObject({ playerName: 'Speaker', message: 'flows' })
    })

    test('auth with a wrong key: auth_failed with error at the top level and in payload, then close 1008 Authentication failed', async () => {
      for (const token of ['wrong', '', server().key.slice(1), `${server().key} `, 'x'.repeat(10_000), 'é']) {
        const { client, closing } = await firstMessage({ type: 'auth', payload: { token } })
        const [failed] = client.messages()
        expect(failed).toEqual({
          type: 'auth_failed',
          error: expect.stringMatching(/\S/),
          payload: { error: failed?.error },
        })
        expect(closing).toEqual({ code: 1008, reason: 'Authentication failed' })
      }
    })

    test('auth without a token, or with a token of another type, fails', async () => {
      for (const message of [
        { type: 'auth' },
        { type: 'auth', payload: {} },
        { type: 'auth', payload: { token: 5 } },
        { type: 'auth', payload: { token: null } },
        { type: 'auth', payload: { token: [server().key] } },
      ]) {
        const { client, closing } = await firstMessage(message)
        expect([client.messages()[0]?.type, closing.code]).toEqual(['auth_failed', 1008])
      }
    })

    test('any other first message, malformed JSON or binary: auth_failed Authenticate first, close 1008', async () => {
      const others: unknown[] = [
        { type: 'chat_send', payload: { author: 'a', message: 'b' } },
        { type: 'subscribe', payload: { topics: ['players'] } },
        { type: 'nothing' },
        { type: 'AUTH', payload: { token: server().key } },
        '{"type":"auth"',
        'null',
        '[]',
        '""',
        '',
      ]
      if (!exempt.includes('ping before auth')) others.push({ type: 'ping' })
      for (const message of others) {
        const { client, closing } = await firstMessage(message)
        expect([message, client.messages(), closing.code]).toEqual([
          message,
          [{ type: 'auth_failed', error: 'Authenticate first', payload: { error: 'Authenticate first' } }],
          1008,
        ])
      }
      const client = await openChat(server())
      client.ws.send(Buffer.from(JSON.stringify({ type: 'auth', payload: { token: server().key } })))
      expect((await client.closed).code).toBe(1008)
      expect(client.messages()[0]).toMatchObject({ type: 'auth_failed', error: 'Authenticate first' })
    })

    test('unauthenticated sockets receive nothing', async () => {
      const client = await openChat(server())
      const other = await openAuthenticated(server())
      await server().farm.join({ id: 902n, name: 'Secretive' })
      await server().farm.say(902n, 'for members only')
      await other.take('chat')
      expect(client.texts).toEqual([])
    })

    test('no auth within 10 s of connecting: auth_failed Authentication timeout, close 1008', async () => {
      const client = await openChat(server())
      const openedAt = performance.now()
      expect(await client.closed).toMatchObject({ code: 1008 })
      expect(performance.now() - openedAt).toBeGreaterThan(9_000)
      expect(client.messages()).toEqual([
        {
          type: 'auth_failed',
          error: 'Authentication timeout',
          payload: { error: 'Authentication timeout' },
        },
      ])
    })

    test('a second auth on an open socket is answered again, and no line is sent twice', async () => {
      const client = await openAuthenticated(server())
      client.send({ type: 'auth', payload: { token: server().key } })
      await client.take('auth_success')
      await server().farm.join({ id: 903n, name: 'Once' })
      await server().farm.say(903n, 'only once')
      await client.take('chat')
      await client.settled()
      expect(client.messages('chat')).toHaveLength(1)
    })
  })

  describe('auth with wrong keys repeatedly', () => {
    test('wrong keys on /ws count with those on HTTP; a correct key still works', async () => {
      const server = await ownServer(start, { rates: { failedKeys: 3 } })
      for (let tries = 0; tries < 12; tries += 1) {
        const client = await openChat(server)
        client.send({ type: 'auth', payload: { token: `wrong ${tries}` } })
        expect((await client.closed).code).toBe(1008)
      }
      const headers = { Authorization: 'Bearer wrong-wrong-wrong-wrong' }
      await eventually(async () =>
        expect((await fetch(`${server.url}/players`, { headers })).status).toBe(429),
      )
      await openAuthenticated(server)
    })
  })

  if (!exempt.includes('no key'))
    describe('auth without a key set', () => {
      const server = sharedServer(start, { key: null })

      test('messages are sent from the start', async () => {
        const client = await openChat(server())
        await client.settled()
        await server().farm.join({ id: 904n, name: 'Open' })
        await server().farm.say(904n, 'to everyone')
        expect((await client.take('chat')).payload).toMatchObject({ message: 'to everyone' })
      })

      test('auth is always auth_success', async () => {
        const client = await openChat(server())
        for (const message of [{ type: 'auth' }, { type: 'auth', payload: { token: 'anything' } }]) {
          client.send(message)
          await client.take('auth_success')
        }
      })

      test('a first message that is not auth is handled as after auth', async () => {
        const client = await openChat(server())
        client.send({ type: 'nothing' })
        expect((await client.take('error')).payload).toMatchObject({ code: 'unknown_type' })
        client.send('{')
        expect((await client.take('error')).payload).toMatchObject({ code: 'malformed' })
      })
    })
}
