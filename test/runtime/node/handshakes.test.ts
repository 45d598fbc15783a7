/** Handshakes, and requests before them, on connections that a test writes by hand. */
import { expect, test } from 'vitest'
import { openAuthenticated, openChat } from '../../contract/chat-client.ts'
import { askWithKey } from '../../contract/request.ts'
import { suiteKey } from '../../contract/server-under-test.ts'
import { ownServer } from '../../contract/shared-server.ts'
import { statusesOf } from '../../raw-bytes.ts'
import { eventually } from '../../wait.ts'
import { asking } from './flooding.ts'
import { type NodeServer, nodeServer } from './node-server.ts'
import { everything, exchange, handshakeText, openSocket, statusOf } from './raw-socket.ts'

const server = (maxClients?: number) =>
  ownServer((options) => nodeServer({ ...options, ...(maxClients && { maxClients }) })) as Promise<NodeServer>
const bearer = `Authorization: Bearer ${suiteKey}`
const write = `POST /rendering?fps=7 HTTP/1.1\r\nHost: localhost\r\n${bearer}\r\n\r\n`

test('an accepted handshake is logged with its request id, and counted', async () => {
  const node = await server()
  await openChat(node, { headers: { 'X-Request-Id': 'mine' } })
  expect(node.log).toContainEqual({
    level: 'debug',
    fields: expect.objectContaining({ requestId: 'mine', method: 'GET', path: '/ws', status: 101 }),
    message: 'request',
  })
  expect((await askWithKey(node, 'GET', '/metrics')).text).toContain(
    'farmgate_http_requests_total{method="GET",path="/ws",status="101"} 1',
  )
})

test('a connection reset during the handshake does not count as a client', async () => {
  const node = await server(1)
  for (let tries = 0; tries < 30; tries += 1) {
    const socket = await openSocket(node.port)
    socket.write(handshakeText('/ws'))
    if (tries % 3 === 0) socket.resetAndDestroy()
    else if (tries % 3 === 1) setImmediate(() => socket.resetAndDestroy())
    else socket.end()
  }
  await eventually(() => openAuthenticated(node))
})

test('a handshake is refused while a request before it is unanswered: no answer is written among frames', async () => {
  const node = await server()
  await node.farm.freeze()
  const socket = await openSocket(node.port)
  const answers = everything(socket)
  socket.write(`${write}${handshakeText('/ws')}GET /health HTTP/1.1\r\nHost: x\r\n\r\n`)
  await eventually(() => expect(node.bridge.health().pendingActions).toBe(1))
  await node.farm.thaw()
  expect(statusesOf(await answers)).toEqual([200, 426])
  expect(socket.closed).toBe(true)
})

test('a handshake is accepted once the request before it is answered', async () => {
  const { ask } = await asking((await server()).port)
  expect(await ask('GET /health HTTP/1.1\r\nHost: x\r\n\r\n')).toBe(200)
  expect(await ask(handshakeText('/ws'))).toBe(101)
})

test('keep-alive is 65 s', async () => {
  const { ask, text } = await asking((await server()).port)
  await ask('GET /health HTTP/1.1\r\nHost: x\r\n\r\n')
  expect(text()).toMatch(/^keep-alive: timeout=65\r$/im)
})

test.each([
  'LOCALHOST',
  'LocalHost:8080',
  '[::ffff:127.0.0.1]',
  '[::FFFF:127.0.0.1]:8080',
  '[0:0:0:0:0:0:0:1]:8080',
])(
  'with a Host of %s, the loopback host of the API, its own pages can write and other pages cannot',
  async (host) => {
    const { port } = await server()
    const from = async (origin: string) =>
      statusOf(
        await exchange(port, write.replace('localhost', `${host}\r\nOrigin: ${origin}\r\nConnection: close`)),
      )
    expect(await from(new URL(`http://${host}`).origin)).toBe(200)
    expect(await from('http://evil.example')).toBe(403)
  },
)
