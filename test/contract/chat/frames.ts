/** The answer to each kind of message and frame. */
import { describe, expect, test } from 'vitest'
import { openAuthenticated, openChat } from '../chat-client.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { sharedServer } from '../shared-server.ts'

export function frameContract({ start }: RuntimeUnderTest): void {
  describe('messages and frames', () => {
    const server = sharedServer(start)

    test('ping is answered with pong', async () => {
      const client = await openAuthenticated(server())
      client.send({ type: 'ping' })
      expect(await client.take('pong')).toEqual({ type: 'pong' })
      client.send('{ "payload" : {"x":1}, "type":"ping" }')
      expect(await client.take('pong')).toEqual({ type: 'pong' })
    })

    test('30 errors at once are answered, the next closes 1008, and no later message is handled', async () => {
      const client = await openAuthenticated(server())
      for (let error = 0; error < 2000; error += 1) client.send('{')
      client.send({ type: 'chat_send', payload: { author: 'Late', message: 'after the close' } })
      expect(await client.closed).toEqual({ code: 1008, reason: 'Too many errors' })
      expect(client.messages('error').length).toBeGreaterThanOrEqual(30)
      expect(client.messages('error').length).toBeLessThan(100)
      const other = await openAuthenticated(server())
      other.send({ type: 'chat_send', payload: { author: 'Other', message: 'unhindered', id: 1 } })
      await other.take('chat_sent')
      expect(
        server()
          .farm.relayed()
          .map(({ author }) => author),
      ).not.toContain('Late')
    })

    test('a binary frame closes 1003', async () => {
      const client = await openAuthenticated(server())
      client.ws.send(Buffer.from('{"type":"ping"}'))
      expect((await client.closed).code).toBe(1003)
    })

    test('a message over 16 KiB closes 1009, one of 16 KiB is read', async () => {
      const client = await openAuthenticated(server())
      client.send('x'.repeat(16 * 1024))
      expect((await client.take('error')).payload).toMatchObject({ code: 'malformed' })
      client.send('x'.repeat(16 * 1024 + 1))
      expect((await client.closed).code).toBe(1009)
    })

    test('a message over 16 KiB in fragments closes 1009', async () => {
      const client = await openAuthenticated(server())
      for (let part = 0; part < 5; part += 1) client.ws.send('x'.repeat(4096), { fin: part === 4 })
      expect((await client.closed).code).toBe(1009)
    })

    test('a message over 16 KiB before auth closes the connection', async () => {
      const client = await openChat(server())
      client.send('x'.repeat(20_000))
      expect([1008, 1009]).toContain((await client.closed).code)
    })

    test('a text that two fragments split inside a character is read as one text', async () => {
      const client = await openAuthenticated(server())
      const bytes = Buffer.from('{"type":"chat_send","payload":{"author":"é","message":"🥕"}}')
      const middle = bytes.indexOf(Buffer.from('🥕')) + 2
      client.ws.send(bytes.subarray(0, middle), { binary: false, fin: false })
      client.ws.send(bytes.subarray(middle), { binary: false, fin: true })
      await client.settled()
      expect(server().farm.relayed().at(-1)).toEqual({ author: 'é', message: '🥕' })
    })

    test("a client's close is answered", async () => {
      const client = await openAuthenticated(server())
      client.ws.close(1000, 'bye')
      expect((await client.closed).code).toBe(1000)
    })
  })
}
