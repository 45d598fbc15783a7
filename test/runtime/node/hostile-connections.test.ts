/** Connections whose peers send too slowly, do not read, or do not close (docs/security.md). */
import { createServer } from 'node:http'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { type ConnectionLimits, isClientsOwn, usualLimits } from '../../../lib/connection-limits.ts'
import { watchConnections } from '../../../lib/connections.ts'
import { connectionsFor } from '../../../lib/descriptors.ts'
import { type ChatClient, openAuthenticated } from '../../contract/chat-client.ts'
import { makeKey } from '../../contract/http/made-key.ts'
import { suiteKey } from '../../contract/server-under-test.ts'
import { portOf } from '../../port-of.ts'
import { programs } from '../../programs.ts'
import { eventually } from '../../wait.ts'
import { launch } from './farmgate-process.ts'
import { nodeServer } from './node-server.ts'
import {
  acceptedSockets,
  exchange,
  handshakeText,
  openSocket,
  openStubborn,
  requestText,
  statusOf,
} from './raw-socket.ts'

const bearer = `Authorization: Bearer ${suiteKey}`
const health = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n'

async function server(connections: Partial<ConnectionLimits> = {}) {
  const node = await nodeServer({ server: { connections } })
  onTestFinished(() => node.stop())
  return node
}

test.each([
  ['without a key: 400', handshakeText('/ws', 'Sec-WebSocket-Key:')],
  ['of a foreign origin: 403', handshakeText('/ws', 'Origin: http://evil.example')],
  ['of a page', handshakeText('/health')],
])(
  'a connection ends after a refused upgrade, although its peer does not close it: %s',
  async (_what, bytes) => {
    const node = await server({ linger: 50 })
    const accepted = acceptedSockets()
    const socket = await openStubborn(node.port)
    socket.resume()
    socket.write(bytes)
    await eventually(() => expect(accepted.map(({ destroyed }) => destroyed)).toEqual([true]))
  },
)

describe('an answer that the client does not read', () => {
  test('does not affect quiet connections: long polls and chat clients stay open', async () => {
    const node = await server({ writeTimeout: 100 })
    const client = await openAuthenticated(node)
    const poll = requestText('GET /wait/status?playerCount=9&timeout=1000 HTTP/1.1', bearer)
    expect(statusOf(await exchange(node.port, poll))).toBe(408)
    await client.settled()
  })
})

describe('a client that leaves', () => {
  test('ends its own long poll, and those of others continue', async () => {
    const node = await server()
    const { subscribe } = node.bridge
    const ended = vi.fn()
    const begun = vi.spyOn(node.bridge, 'subscribe').mockImplementation((listener) => {
      const unsubscribe = subscribe(listener)
      return () => {
        unsubscribe()
        ended()
      }
    })
    const poll = (timeout: number) =>
      requestText(`GET /wait/status?playerCount=9&timeout=${timeout} HTTP/1.1`, bearer)
    const leaving = await openSocket(node.port)
    leaving.write(poll(10_000))
    await eventually(() => expect(begun).toHaveBeenCalledTimes(1))
    leaving.destroy()
    expect(statusOf(await exchange(node.port, poll(2_000)))).toBe(408)
    expect(ended).toHaveBeenCalledTimes(2)
  })
})

describe('more connections than the limit', () => {
  test('an authenticated client of /ws stays open', async () => {
    const node = await server({ maxConnections: 8 })
    const client = await openAuthenticated(node)
    for (let count = 0; count < 30; count += 1) await openStubborn(node.port)
    await client.settled()
  })

  test('an idle connection is closed before one with occasional requests', async () => {
    const node = await server({ maxConnections: 3 })
    const accepted = acceptedSockets()
    const asking = await openSocket(node.port)
    await openStubborn(node.port)
    const answered = new Promise((resolve) => asking.once('data', resolve))
    asking.write(health)
    await answered
    await openStubborn(node.port)
    await openStubborn(node.port)
    await eventually(() =>
      expect(accepted.map(({ destroyed }) => destroyed)).toEqual([false, true, false, false]),
    )
  })

  test('one address has its own limit, where an address stands for one client', async () => {
    const reached: object[] = []
    const accepted = acceptedSockets()
    const http = createServer()
    watchConnections({
      limits: { ...usualLimits, maxConnections: 100, maxWithoutKey: 5 },
      countedAs: (address) => address,
      warn: { ofAll: () => undefined, ofOneAddress: (limit) => reached.push(limit) },
      monotonic: () => 0,
    }).watch(http)
    const port = await portOf(http)
    for (let count = 0; count < 20; count += 1) await openStubborn(port)
    await eventually(() => expect(accepted.filter(({ destroyed }) => !destroyed)).toHaveLength(5))
    expect(reached).toEqual([{ limit: 5, address: '127.0.0.1' }])
  })

  test('an address stands for one client unless a proxy is or might be in front', () => {
    const at = (trustProxy: number, address: string) => isClientsOwn(trustProxy)(address)
    expect(at(0, '192.0.2.7')).toBe(true)
    expect(at(0, '::ffff:192.0.2.7')).toBe(true)
    expect(at(1, '192.0.2.7')).toBe(false)
    for (const loopback of ['127.0.0.1', '::ffff:127.0.0.1', '::1']) expect(at(0, loopback)).toBe(false)
  })

  test('the number of accepted connections stays below ulimit -n', () => {
    expect(connectionsFor(2000, 1_048_576)).toBe(3024)
    expect(connectionsFor(2000, 1024)).toBe(896)
    expect(connectionsFor(2000, 512)).toBe(384)
    expect(connectionsFor(2000, 64)).toBe(32)
  })

  test('a connection of the named key with the most is closed once few are left without a key, and none of API_KEY', async () => {
    const node = await server({ maxConnections: 16 })
    const { key } = await makeKey(node, 'chat')
    const other = await makeKey(node, 'chat')
    const operator = await openAuthenticated(node)
    const single = await openAuthenticated({ ...node, key: other.key })
    const many: ChatClient[] = []
    for (let count = 0; count < 40; count += 1) many.push(await openAuthenticated({ ...node, key }))
    expect((await many[0]?.closed)?.code).toBe(1006)
    await Promise.all([operator, single, many.at(-1)].map((client) => client?.settled()))
  })

  test('a connection of a named key with incoming frames is kept before a silent one', async () => {
    const node = await server({ maxConnections: 4 })
    const { key } = await node.records.of('local').makeKey({ name: 'bot', scopes: ['chat'] })
    const clients = [await openAuthenticated({ ...node, key }), await openAuthenticated({ ...node, key })]
    await clients[0]?.settled()
    const operators = [
      await openAuthenticated(node),
      await openAuthenticated(node),
      await openAuthenticated(node),
    ]
    expect((await clients[1]?.closed)?.code).toBe(1006)
    await Promise.all([...operators, clients[0]].map((client) => client?.settled()))
  })

  test('a chat key that takes all connections, with ulimit -n 256, does not keep API_KEY from making and revoking keys', async () => {
    const farmgate = await launch(
      ['sh', '-c', `ulimit -n 256 && exec "$0" "$1"`, process.execPath, programs.serve],
      { API_KEY: suiteKey, API_PORT: '0', API_HOST: '127.0.0.1' },
    )
    const [, url = ''] = await farmgate.said(/"url":"(http:[^"]+)"/)
    const at = { url, wsUrl: `${url.replace('http', 'ws')}/ws`, key: suiteKey }
    const operator = await openAuthenticated(at)
    const hostile = await makeKey(at, 'chat')
    let opened = 0
    let isOver = false
    const sockets: WebSocket[] = []
    onTestFinished(() => {
      isOver = true
      for (const ws of sockets) ws.terminate()
    })
    const takeAll = async () => {
      while (!isOver) {
        const ws = new WebSocket(at.wsUrl)
        sockets.push(ws)
        ws.on('error', () => undefined)
        await new Promise((resolve) => ws.on('open', resolve).on('close', resolve))
        if (ws.readyState === WebSocket.OPEN) {
          ws.send(JSON.stringify({ type: 'auth', payload: { token: hostile.key } }))
          opened += 1
        }
      }
    }
    const attack = Promise.all(Array.from({ length: 8 }, takeAll))
    await eventually(() => expect(opened).toBeGreaterThan(256))
    const port = Number(new URL(url).port)
    const body = JSON.stringify({ name: 'a bot', scopes: ['read'] })
    for (let time = 0; time < 10; time += 1) {
      const length = `Content-Length: ${body.length}`
      const head = requestText('POST /keys HTTP/1.1', bearer, 'Content-Type: application/json', length)
      const made = await exchange(port, `${head}${body}`)
      expect(statusOf(made)).toBe(201)
      const { id } = JSON.parse(made.slice(made.indexOf('{'))) as { id: string }
      expect(statusOf(await exchange(port, requestText(`DELETE /keys?id=${id} HTTP/1.1`, bearer)))).toBe(200)
    }
    const revoked = await exchange(port, requestText(`DELETE /keys?id=${hostile.id} HTTP/1.1`, bearer))
    isOver = true
    expect(statusOf(revoked)).toBe(200)
    await attack
    await operator.settled()
  })
})
