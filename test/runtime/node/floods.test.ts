/** Floods of requests, and their effect on others (docs/security.md). */
import { describe, expect, test } from 'vitest'
import { openAuthenticated } from '../../contract/chat-client.ts'
import { askWithKey } from '../../contract/request.ts'
import { eventually } from '../../wait.ts'
import { anonymous, asking, bearer, flood, last, request, server, statuses } from './flooding.ts'
import {
  acceptedSockets,
  bodyOf,
  everything,
  exchange,
  handshakeText,
  openSocket,
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
      expect(statuses(refused)).toEqual([429])
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
