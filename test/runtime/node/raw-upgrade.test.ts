/** Handshakes that no client library sends. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openAuthenticated, openChat } from '../../contract/chat-client.ts'
import { askWithKey } from '../../contract/request.ts'
import { eventually } from '../../wait.ts'
import { type NodeServer, nodeServer } from './node-server.ts'
import { bodyOf, clientFrame, exchange, handshakeText, openSocket, statusOf } from './raw-socket.ts'

let server: NodeServer
beforeEach(async () => {
  // The limit is one client, so a failed handshake that still counts as a client is noticed at once.
  server = await nodeServer({ maxClients: 1 })
})
afterEach(() => server.stop())

const upgrade = (target: string, ...replaced: string[]) =>
  exchange(server.port, handshakeText(target, ...replaced), 3000)
/** Expects that no client is counted and that the server still answers. */
const expectFree = () =>
  eventually(async () => {
    const client = await openAuthenticated(server)
    await client.settled()
    client.ws.terminate()
  })

describe('handshakes', () => {
  test('an accepted handshake is logged with its request id, and counted', async () => {
    await openChat(server, { headers: { 'X-Request-Id': 'mine' } })
    expect(server.log).toContainEqual({
      level: 'debug',
      fields: expect.objectContaining({ requestId: 'mine', method: 'GET', path: '/ws', status: 101 }),
      message: 'request',
    })
    expect((await askWithKey(server, 'GET', '/metrics')).text).toContain(
      'farmgate_http_requests_total{method="GET",path="/ws",status="101"} 1',
    )
  })

  test.each([
    '//',
    'http://[',
    '/\\',
    'http://a:99999/ws',
    '*',
    'ws',
    '',
    '//evil.example/ws',
    '/\\evil.example',
    '///ws',
    'http://localhost/ws',
    '/ws#x',
    '/%zz',
    '/ws\x01',
  ])(
    'an upgrade of target %j is refused with the common error shape, and the process goes on',
    async (target) => {
      const answer = await upgrade(target)
      expect([400, 401, 404]).toContain(statusOf(answer))
      expect(JSON.parse(bodyOf(answer))).toMatchObject({ success: false, code: expect.any(String) })
      await expectFree()
    },
  )

  test.each([
    ['no key', 'Sec-WebSocket-Key:'],
    ['an empty key', 'Sec-WebSocket-Key: '],
    ['a short key', 'Sec-WebSocket-Key: abc'],
    ['a key of other signs', 'Sec-WebSocket-Key: !!!!!!!!!!!!!!!!!!!!!!=='],
    ['a key of 10 KB', `Sec-WebSocket-Key: ${'a'.repeat(10_000)}`],
    ['two Hosts', 'Upgrade: websocket\r\nHost: evil.example'],
    ['no version', 'Sec-WebSocket-Version:'],
    ['version 7', 'Sec-WebSocket-Version: 7'],
    ['version 99', 'Sec-WebSocket-Version: 99'],
  ])('a handshake with %s is 400 and does not count as a client', async (_what, line) => {
    for (let tries = 0; tries < 3; tries += 1) {
      const answer = await upgrade('/ws', line)
      expect(statusOf(answer)).toBe(400)
      expect(JSON.parse(bodyOf(answer))).toMatchObject({ success: false, code: 'malformed_request' })
    }
    await expectFree()
  })

  test.each([
    ['a subprotocol', 'Sec-WebSocket-Protocol: chat'],
    ['a malformed subprotocol', 'Sec-WebSocket-Protocol: a,,b'],
    ['malformed extensions', 'Sec-WebSocket-Extensions: ;;;='],
    ['another upgrade', 'Upgrade: h2c'],
    ['a malformed Host', 'Host: ]['],
  ])('a handshake with %s does no harm to the server', async (_what, line) => {
    await exchange(server.port, handshakeText('/ws', line), 300)
    await expectFree()
  })

  test('Upgrade: websocket without Connection: Upgrade is 426 and does not count as a client', async () => {
    for (const line of ['Connection: close', 'Connection:']) {
      const answer = await exchange(server.port, handshakeText('/ws', line), 300)
      expect(statusOf(answer)).toBe(426)
    }
    await expectFree()
  })

  test('a POST that asks for an upgrade is not upgraded', async () => {
    const answer = await exchange(server.port, handshakeText('/ws').replace('GET', 'POST'), 1000)
    expect(statusOf(answer)).toBe(405)
    await expectFree()
  })

  test('an upgrade of another path is answered like a request without upgrade', async () => {
    expect(statusOf(await upgrade('/health'))).toBe(200)
    expect(statusOf(await upgrade('/players'))).toBe(401)
    expect(statusOf(await upgrade('/nothing'))).toBe(401)
    await expectFree()
  })

  test('a URL of 20 KB is 414', async () => {
    expect(statusOf(await upgrade(`/ws?${'x'.repeat(12_000)}`))).toBe(414)
    await expectFree()
  })

  test('a connection reset during the handshake does not count as a client', async () => {
    for (let tries = 0; tries < 30; tries += 1) {
      const socket = await openSocket(server.port)
      socket.write(handshakeText('/ws'))
      if (tries % 3 === 0) socket.resetAndDestroy()
      else if (tries % 3 === 1) setImmediate(() => socket.resetAndDestroy())
      else socket.end()
    }
    await expectFree()
  })

  test('frames that arrive together with the handshake are read', async () => {
    const socket = await openSocket(server.port)
    const text = JSON.stringify({ type: 'auth', payload: { token: server.key } })
    socket.write(Buffer.concat([Buffer.from(handshakeText('/ws')), clientFrame(1, text)]))
    let received = ''
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1')
    })
    await eventually(() => expect(received).toContain('auth_success'))
  })
})
