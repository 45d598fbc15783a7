/** The handshake, and its refusals. */
import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { clientFrame, handshakeText, openStubborn } from '../../runtime/node/raw-socket.ts'
import { eventually } from '../../wait.ts'
import { openAuthenticated, openChat, refusedHandshake } from '../chat-client.ts'
import { makeKey } from '../http/made-key.ts'
import { ask, askWithKey, expectProblem } from '../request.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { ownServer, sharedServer } from '../shared-server.ts'

const allowed = 'https://panel.example'

export function upgradeContract({ start, exempt = [] }: RuntimeUnderTest): void {
  describe('upgrade', () => {
    const server = sharedServer(start, { allowedOrigins: [allowed] })

    test('GET /ws without an upgrade is 426 upgrade_required', async () => {
      for (const reply of [await ask(server(), 'GET', '/ws'), await askWithKey(server(), 'GET', '/ws')]) {
        expectProblem(reply, 426, 'upgrade_required')
        if (!exempt.includes('upgrade header')) expect(reply.headers.get('upgrade')).toBe('websocket')
      }
    })

    test("a handshake with the API's own Origin or an allowed one is accepted", async () => {
      for (const origin of [new URL(server().url).origin, allowed])
        expect((await openChat(server(), { origin })).ws.readyState).toBe(1)
    })

    test('any other Origin is 403 before the handshake, with a text that names it and ALLOWED_ORIGINS', async () => {
      for (const origin of [
        'https://evil.example',
        'null',
        'http://panel.example',
        'https://panel.example:1',
      ]) {
        const { status, json } = await refusedHandshake(server().wsUrl, { origin })
        expect([status, json]).toEqual([
          403,
          expect.objectContaining({
            success: false,
            code: 'origin_not_allowed',
            error: expect.stringContaining(`${origin} may not use this API`),
          }),
        ])
      }
    })

    test('X-Request-Id is on every response, the 101 included', async () => {
      const { wsUrl } = server()
      const ws = new WebSocket(wsUrl, { headers: { 'X-Request-Id': 'mine' } })
      onTestFinished(() => ws.terminate())
      const [{ headers }] = await once(ws, 'upgrade')
      expect(headers['x-request-id']).toBe('mine')
    })

    test('only /ws is upgraded', async () => {
      const otherPath = server().wsUrl.replace(/ws$/, 'players')
      const { status } = await refusedHandshake(otherPath)
      expect(status).toBe(401)
    })

    test('more than WS_MAX_CLIENTS are 503; a client that was closed or terminated makes room for a new one, even if its peer ignores the close', async () => {
      const small = await ownServer(start, { maxClients: 2 })
      const first = await openChat(small)
      await openChat(small)
      const { status, json } = await refusedHandshake(small.wsUrl)
      expect([status, json]).toEqual([503, expect.objectContaining({ success: false, retry: true })])
      first.ws.close()
      await first.closed
      const next = await openChat(small)
      next.ws.terminate()
      await next.closed
      for (let closed = 0; closed < 6; closed += 1) {
        const socket = await openStubborn(Number(new URL(small.url).port))
        let received = ''
        socket.on('data', (bytes) => {
          received += bytes.toString('latin1')
        })
        socket.write(handshakeText('/ws'))
        await eventually(() => expect(received).toMatch(/^HTTP\/1.1 101 /))
        socket.write(clientFrame(1, '{}'))
        await eventually(() => expect(received).toContain('Authenticate first'))
      }
      await openAuthenticated(small)
    })
  })

  test('a named key has at most a quarter of WS_MAX_CLIENTS: one more of it is closed 1013, and others are accepted', async () => {
    const small = await ownServer(start, { maxClients: 8 })
    const { key } = await makeKey(small, 'chat')
    const ofKey = { ...small, key }
    const first = await openAuthenticated(ofKey)
    await openAuthenticated(ofKey)
    const third = await openChat(small)
    third.send({ type: 'auth', payload: { token: key } })
    expect(await third.closed).toEqual({ code: 1013, reason: 'Too many clients of this key' })
    await Promise.all([openAuthenticated(small), openAuthenticated(small), openAuthenticated(small)])
    first.ws.close()
    await first.closed
    await openAuthenticated(ofKey)
  })

  describe('counted clients', () => {
    test('the 21st client of one address that has yet to authenticate is 429, until another authenticates', async () => {
      const own = await ownServer(start)
      const [first] = await Promise.all(Array.from({ length: 20 }, () => openChat(own)))
      const { status, json } = await refusedHandshake(own.wsUrl)
      expect([status, json]).toEqual([429, expect.objectContaining({ code: 'rate_limited', retry: true })])
      first?.send({ type: 'auth', payload: { token: own.key } })
      await first?.take('auth_success')
      await openChat(own)
      expect((await refusedHandshake(own.wsUrl)).status).toBe(429)
    })
  })

  if (!exempt.includes('no key'))
    describe('upgrade without a key set', () => {
      const server = sharedServer(start, { key: null })

      test('a foreign Origin is 403 without a key too', async () => {
        const { status } = await refusedHandshake(server().wsUrl, { origin: 'https://evil.example' })
        expect(status).toBe(403)
      })

      test('one address can have as many clients as WS_MAX_CLIENTS, because none must authenticate', async () => {
        await Promise.all(Array.from({ length: 25 }, () => openChat(server())))
      })
    })
}
