/** The answers to `auth`, and what a client can do before it. */
import { describe, expect, test } from 'vitest'
import { eventually } from '../../wait.ts'
import { openAuthenticated, openChat } from '../chat-client.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { ownServer, sharedServer } from '../shared-server.ts'

export function chatAuthContract({ start }: RuntimeUnderTest): void {
  describe('auth', () => {
    const server = sharedServer(start)
    const firstMessage = async (message: unknown) => {
      const client = await openChat(server())
      client.send(message)
      return { client, closing: await client.closed }
    }

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
}
