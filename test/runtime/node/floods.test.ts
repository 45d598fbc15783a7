/** Floods of requests, and their effect on others (docs/security.md). */

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { ChatRoom } from '../../../handlers/chat/room.ts'
import { upstreamGame } from '../../bridges/upstream-game.ts'
import { openAuthenticated } from '../../contract/chat-client.ts'
import { askWithKey } from '../../contract/request.ts'
import { ownServer } from '../../contract/shared-server.ts'
import { statusesOf } from '../../raw-bytes.ts'
import { eventually } from '../../wait.ts'
import { anonymous, asking, bearer, flood, last, request, server } from './flooding.ts'
import { type NodeServer, nodeServer } from './node-server.ts'
import {
  acceptedSockets,
  bodyOf,
  clientFrame,
  everything,
  exchange,
  handshakeText,
  openSocket,
  requestText,
  statusOf,
} from './raw-socket.ts'

describe('a caller far over its rate', () => {
  test.each([
    ['requests without a key', anonymous, 401],
    ['wrong keys', request('GET /players', 'Authorization: Bearer wrong-wrong-wrong'), 401],
    ['OPTIONS', request('OPTIONS /players'), 204],
  ])(
    'loses its connection after a last 429, and each new one after one 429: %s',
    async (_what, bytes, first) => {
      const node = await server()
      const { socket, answers, text, ask } = await asking(node.port)
      const closed = new Promise((resolve) => socket.once('close', resolve))
      expect(await ask(bytes)).toBe(first)
      while (!text().includes('Connection: close')) await ask(bytes)
      await closed
      expect(answers().filter((status) => status === 429).length).toBeGreaterThan(100)
      expect(answers().at(-1)).toBe(429)
      const refused = await exchange(node.port, bytes.repeat(50))
      expect(statusesOf(refused)).toEqual([429])
      expect(refused).toMatch(/^retry-after: \d+\r$/im)
      expect(refused).toMatch(/^x-request-id: [-0-9a-f]{36}\r$/im)
      expect(JSON.parse(bodyOf(refused))).toMatchObject({ code: 'rate_limited', retry: true })
    },
  )

  test('does not keep the right key from being served on new and open connections of its address', async () => {
    const node = await server()
    const { ask } = await asking(node.port)
    const withKey = request('GET /players', bearer)
    expect(await ask(withKey)).toBe(200)
    await flood(node)
    expect(await ask(withKey)).toBe(200)
    expect(await ask(anonymous)).toBe(429)
    expect(await ask(withKey)).toBe(200)
    expect(statusOf(await exchange(node.port, request('GET /players', bearer, 'Connection: close')))).toBe(
      200,
    )
    const { status } = await askWithKey(node, 'POST', '/rendering?fps=7')
    expect(status).toBe(200)
  })

  test('does not keep handshakes, health checks and preflights of its address from being served', async () => {
    const node = await server()
    await flood(node)
    expect(statusOf(await exchange(node.port, anonymous))).toBe(429)
    const client = await openAuthenticated(node)
    await client.settled()
    for (const first of ['GET /health', 'HEAD /ready', 'OPTIONS /players'])
      expect(statusOf(await exchange(node.port, request(first, 'Connection: close')))).toBeLessThan(300)
  })

  test('is refused as soon as the head of its request has arrived, in any number of pieces, and has 10 s for it', async () => {
    const node = await server({ connections: { headersTimeout: 100 } })
    await flood(node)
    const inPieces = await openSocket(node.port)
    const answer = everything(inPieces)
    for (const letter of request('GET /players', 'X-Request-Id: mine')) inPieces.write(letter)
    expect(await answer).toMatch(/^x-request-id: mine\r$/im)
    const accepted = acceptedSockets()
    await openSocket(node.port)
    const leaving = await openSocket(node.port)
    leaving.end('GET /')
    await eventually(() => expect(accepted.map(({ destroyed }) => destroyed)).toEqual([true, true]))
  })

  test('behind a proxy is always answered 429: others use its connection too', async () => {
    const node = await server({ trustProxy: 1 })
    const { ask, text } = await asking(node.port)
    const from = (address: string) => request('GET /players', `X-Forwarded-For: ${address}`)
    for (let count = 0; count < 200; count += 1) await ask(from('192.0.2.1'))
    expect(await ask(from('192.0.2.1'))).toBe(429)
    expect(await ask(from('192.0.2.2'))).toBe(401)
    expect(text()).not.toContain('Connection: close')
  })

  test('is served again as soon as its allowance has refilled', async () => {
    const node = await server({}, { anonymous: 600 })
    await flood(node, anonymous, 9)
    // Ten more are allowed each second.
    await eventually(async () => expect(statusOf(await exchange(node.port, last))).toBe(401))
  })
})

describe('everything has a rate: 429 follows the allowed number of requests', () => {
  test.each([
    ['an unknown path', request('GET /nothing')],
    ['HEAD', request('HEAD /players')],
    ['a wrong method', request('DELETE /status')],
    ['OPTIONS of a path', request('OPTIONS /players')],
    ['OPTIONS of an unknown path', request('OPTIONS /nothing')],
    ['a preflight', request('OPTIONS /players', 'Origin: http://panel.example')],
    ['a page', request('GET /docs')],
    ['a file of the page', request('GET /docs/start.js')],
    ['a document', request('GET /openapi.json')],
    ['the metrics', request('GET /metrics')],
    ['a health check', request('GET /health')],
    ['the status', request('GET /status')],
    ['a URL that is too long', request(`GET /${'x'.repeat(5000)}`)],
    ['headers that are too large', request('GET /status', `X: ${'x'.repeat(17_000)}`)],
    ['a write of a foreign page', request('POST /rendering', 'Origin: http://evil.example')],
    ['a handshake', handshakeText('/ws', 'Sec-WebSocket-Version: 1')],
    ['a handshake of a target that is not a path', handshakeText('//evil.example')],
    ['a path that is none', request('GET /\\')],
    ['no Host', 'GET /status HTTP/1.1\r\n\r\n'],
    ['no HTTP', 'hello there\r\n\r\n'],
    ['CONNECT', request('CONNECT evil.example:443')],
  ])('%s', async (_what, bytes) => {
    const node = await server({ allowedOrigins: ['http://panel.example'] })
    const last = bytes.replace('HTTP/1.1\r\n', 'HTTP/1.1\r\nConnection: close\r\n')
    for (let count = 0; count < 5; count += 1)
      expect(statusOf(await exchange(node.port, bytes.includes('Upgrade') ? bytes : last))).not.toBe(429)
    expect(statusOf(await exchange(node.port, bytes.includes('Upgrade') ? bytes : last))).toBe(429)
  })
})

describe('many requests on one connection', () => {
  test('are served one at a time, with those of other connections in between', async () => {
    const node = await server()
    const many = await asking(node.port)
    const other = await asking(node.port)
    const withKey = request('GET /players', bearer)
    const otherAnswered = new Promise((resolve) => other.socket.once('data', resolve))
    many.socket.write(withKey.repeat(100))
    other.socket.write(withKey)
    await otherAnswered
    expect(many.answers().length).toBeLessThan(100)
    await eventually(() => expect(many.answers()).toEqual(Array(100).fill(200)))
  })
})

describe('the parser', () => {
  test('stops at the end of a connection: bytes after its last request are not a request', async () => {
    const node = await server()
    let parsed = 0
    const started = () => {
      parsed += 1
    }
    subscribe('http.server.request.start', started)
    onTestFinished(() => void unsubscribe('http.server.request.start', started))
    await flood(node, anonymous.repeat(5), 1)
    expect(parsed).toBe(101)
    await flood(node, anonymous.repeat(5), 2)
    expect(parsed).toBeLessThan(250)
    parsed = 0
    await flood(node, anonymous.repeat(5), 3)
    expect(parsed).toBeLessThan(10)
  })

  test('of frames stops when a client is closed: bytes after its last frame are ignored', async () => {
    const heard = vi.spyOn(ChatRoom.prototype, 'heardPing')
    onTestFinished(() => heard.mockRestore())
    const node = await server()
    const { socket, ask, text } = await asking(node.port)
    expect(await ask(handshakeText('/ws'))).toBe(101)
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.write(Buffer.concat(Array.from({ length: 5000 }, () => clientFrame(9, 'x'))))
    await closed
    expect(text()).toContain('Authenticate first')
    expect(heard.mock.calls.length).toBeLessThan(10)
  })
})

describe('the log', () => {
  const requests = (node: NodeServer) => node.log.filter(({ level }) => level !== 'debug')

  test('has one line for an address whose requests are refused, and then their number', async () => {
    const node = await server()
    await flood(node)
    await flood(node, request('GET /nothing'))
    await flood(node, 'hello there\r\n\r\n')
    await flood(node, request('OPTIONS /players'))
    await askWithKey(node, 'GET', '/players')
    await node.shutDown(0)
    expect(requests(node)).toEqual([
      {
        level: 'info',
        message: 'request',
        fields: expect.objectContaining({ status: 401, path: '/players' }),
      },
      {
        level: 'warn',
        message: 'far too many requests of one address: closing its connections without the key',
        fields: { address: '127.0.0.1' },
      },
      {
        level: 'info',
        message: 'request',
        fields: expect.objectContaining({ status: 200, path: '/players' }),
      },
      {
        level: 'info',
        message: 'more requests of this address were refused in the last minute',
        fields: { address: '127.0.0.1', requests: expect.any(Number) },
      },
      {
        level: 'warn',
        message: 'far too many requests of one address: closing its connections without the key',
        fields: { address: '127.0.0.1', connections: expect.any(Number) },
      },
    ])
  })

  test('has every refused request of a key holder', async () => {
    const node = await server()
    for (let count = 0; count < 3; count += 1) await askWithKey(node, 'POST', '/rendering?fps=none')
    expect(requests(node).map(({ fields }) => fields)).toEqual(
      Array(3).fill(expect.objectContaining({ status: 400, path: '/rendering' })),
    )
  })

  test('says once a minute that too many chat clients of one address have yet to authenticate', async () => {
    const node = (await ownServer(nodeServer)) as NodeServer
    const handshakes = await Promise.all(Array.from({ length: 20 }, () => asking(node.port)))
    for (const { ask } of handshakes) expect(await ask(handshakeText('/ws'))).toBe(101)
    for (let count = 0; count < 5; count += 1)
      expect(statusOf(await exchange(node.port, handshakeText('/ws')))).toBe(429)
    const message = 'too many WebSocket clients of one address have yet to authenticate: refusing more'
    const reported = () => node.log.filter((line) => line.message === message)
    expect(reported()).toEqual([{ level: 'warn', message, fields: { address: '127.0.0.1', limit: 20 } }])
    await node.shutDown(0)
    expect(reported().slice(1)).toEqual([
      { level: 'warn', message, fields: { address: '127.0.0.1', handshakes: 4 } },
    ])
  })
})

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

describe('behind a proxy', () => {
  const from = (forwarded: string) => request('GET /players', `X-Forwarded-For: ${forwarded}`)

  test('a caller is the address of its client, in any spelling', async () => {
    const node = await server({ trustProxy: 1 })
    const { ask } = await asking(node.port)
    const spellings = [
      '2001:db8:1:2::1',
      '[2001:db8:1:2::1]:4711',
      '2001:DB8:0001:0002::99',
      'evil, 2001:db8:1:2:3:4:5:6',
      '192.0.2.9, 2001:db8:1:2::7',
    ]
    for (const spelling of spellings) expect(await ask(from(spelling))).toBe(401)
    for (const spelling of spellings) expect(await ask(from(spelling))).toBe(429)
    expect(await ask(from('2001:db8:1:3::1'))).toBe(401)
  })

  test('an invalid address counts as the address of the proxy', async () => {
    const node = await server({ trustProxy: 1 })
    const { ask } = await asking(node.port)
    for (const junk of ['unknown', '_secret', '1.2.3', 'x'.repeat(100), '"'])
      expect(await ask(from(junk))).toBe(401)
    expect(await ask(from('more junk'))).toBe(429)
    expect(await ask(anonymous)).toBe(429)
  })

  test('a remembered caller does not keep the whole header in memory', async () => {
    const node = await server({ trustProxy: 1 })
    const callers = async (block: number) => {
      for (let at = 0; at < 500; at += 1) {
        const forwarded = `${'x'.repeat(14_000)}, ${100 + (at >> 7)}.${block}.111.${100 + (at & 127)}`
        expect(
          statusOf(
            await exchange(node.port, requestText('GET /players HTTP/1.1', `X-Forwarded-For: ${forwarded}`)),
          ),
        ).toBe(401)
      }
      collectGarbage()
      return process.memoryUsage().heapUsed
    }
    const before = await callers(101)
    expect((await callers(102)) - before).toBeLessThan(3.5 * 1024 * 1024)
  })
})

test('a flood of screenshots sends the game one request at a time, and all clients get that screenshot', async () => {
  const { bridge, server, close } = await upstreamGame({ limits: { keepFor: 60_000 } })
  const node = await nodeServer({ server: { game: bridge } })
  onTestFinished(async () => {
    await node.stop()
    await close()
  })
  const ask = async () => {
    const response = await fetch(`${node.url}/screenshot`, {
      headers: { Authorization: `Bearer ${node.key}` },
    })
    return [response.status, await response.text()]
  }
  const answers = await Promise.all(Array.from({ length: 200 }, ask))
  const [first] = answers
  expect(first?.[0]).toBe(200)
  expect(answers.every((answer) => String(answer) === String(first))).toBe(true)
  expect(server.count('GET /screenshot')).toBe(1)
})
