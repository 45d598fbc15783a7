/** No input ever produces a 500, an unhandled rejection or a crash. Vitest fails on the latter two. */
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '../../../handlers/endpoints/all-endpoints.ts'
import { problemStatus } from '../../../handlers/problem.ts'
import { openAuthenticated } from '../../contract/chat-client.ts'
import { askWithKey } from '../../contract/request.ts'
import { suiteKey } from '../../contract/server-under-test.ts'
import { type NodeServer, nodeServer } from './node-server.ts'
import { clientFrame, everything, exchange, handshakeText, openSocket, statusOf } from './raw-socket.ts'

let server: NodeServer
beforeAll(async () => {
  server = await nodeServer()
})
afterAll(() => server.stop())

const expectNoBug = () => expect(server.log.filter(({ message }) => message === 'request failed')).toEqual([])
const visible = fc.string({
  unit: fc.integer({ min: 0x21, max: 0xff }).map((code) => String.fromCharCode(code)),
})
const anyBytes = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))

describe('no input produces a 500', () => {
  const routes = fc.constantFrom(
    ...endpoints.map(({ method, path, parameters }) => ({ method, path, parameters })),
  )
  const value = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.integer().map(String),
    fc.bigInt().map(String),
    fc.double().map(String),
    fc.constantFrom('', '%', '%zz', '%C3', '+', 'null', '-0', '9'.repeat(500)),
  )

  test('any query on any endpoint', async () => {
    await fc.assert(
      fc.asyncProperty(
        routes.chain((route) =>
          fc.tuple(
            fc.constant(route),
            fc.array(
              fc.tuple(
                fc.constantFrom(...Object.keys(route.parameters), 'other', '__proto__'),
                value,
                fc.boolean(),
              ),
            ),
          ),
        ),
        async ([{ method, path }, pairs]) => {
          const query = pairs.map(([name, text, raw]) => {
            const encoded = encodeURIComponent(text.toWellFormed())
            return `${name}=${raw ? text.replace(/[^!-~]|#/g, '') : encoded}`
          })
          // A long poll may find nothing, and says so by 408 without a body; it need not take its ten seconds.
          const first = path.startsWith('/wait/') ? ['timeout=1'] : []
          const search = [...first, ...query].join('&').slice(0, 3000)
          const reply = await askWithKey(server, method, `${path}?${search}`)
          expect([200, 201, ...Object.values(problemStatus)].filter((status) => status !== 500)).toContain(
            reply.status,
          )
          if (![200, 201, 408].includes(reply.status))
            expect(reply.json).toMatchObject({
              success: false,
              error: expect.any(String),
              code: expect.toSatisfy((code) => Object.hasOwn(problemStatus, code)),
            })
        },
      ),
      { numRuns: 300 },
    )
    expectNoBug()
  })

  test('any target and any headers', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('GET', 'POST', 'DELETE', 'HEAD', 'OPTIONS', 'PUT'),
        visible,
        fc.array(
          fc.tuple(
            fc.constantFrom(
              'Authorization',
              'Origin',
              'X-Request-Id',
              'X-Forwarded-For',
              'Accept',
              'Upgrade',
              'Range',
            ),
            fc.oneof(
              visible,
              fc.constantFrom(`Bearer ${suiteKey}`, 'null', 'websocket', 'http://[', 'https://a:99999'),
            ),
          ),
        ),
        async (method, path, headers) => {
          const lines = headers.map(([name, text]) => `${name}: ${text}\r\n`).join('')
          const answer = await exchange(
            server.port,
            `${method} /${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines}\r\n`,
          )
          expect(statusOf(answer)).toBeLessThan(500)
        },
      ),
      { numRuns: 300 },
    )
    expectNoBug()
  })

  test('any bytes instead of HTTP', async () => {
    await fc.assert(
      fc.asyncProperty(anyBytes, async (bytes) => {
        const socket = await openSocket(server.port)
        const answer = everything(socket, 2000)
        socket.end(Buffer.concat([bytes, Buffer.from('\r\n\r\n')]))
        expect(await answer).toMatch(/^(HTTP\/1\.1 [1-4]|$)/)
      }),
      { numRuns: 100 },
    )
    expectNoBug()
  })

  test('any handshake', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('/ws', '/', '//', '/\\', 'http://[', '/players'),
        fc.array(
          fc.tuple(
            fc.constantFrom(
              'Sec-WebSocket-Key',
              'Sec-WebSocket-Version',
              'Sec-WebSocket-Protocol',
              'Sec-WebSocket-Extensions',
              'Origin',
              'Host',
            ),
            visible,
          ),
        ),
        fc.boolean(),
        async (target, headers, reset) => {
          const socket = await openSocket(server.port)
          const answer = everything(socket, 50)
          socket.write(
            Buffer.from(
              handshakeText(target, ...headers.map(([name, text]) => `${name}: ${text}`)),
              'latin1',
            ),
          )
          if (reset) socket.resetAndDestroy()
          expect(await answer).toMatch(/^(HTTP\/1\.1 [1-4]|$)/)
          socket.destroy()
        },
      ),
      { numRuns: 100 },
    )
    expectNoBug()
  })
})

describe('no frame stops the chat', () => {
  const known = fc.constantFrom('auth', 'ping', 'chat_send', 'subscribe', 'chat', '__proto__')
  const message = fc.oneof(
    fc.json(),
    fc.string({ unit: 'binary' }),
    fc.record({ type: known, payload: fc.jsonValue() }).map((value) => JSON.stringify(value)),
    fc
      .record({
        type: fc.constant('chat_send'),
        payload: fc.record({
          author: fc.string({ unit: 'binary' }),
          message: fc.string({ unit: 'binary', maxLength: 3000 }),
        }),
      })
      .map((value) => JSON.stringify(value)),
    fc
      .record({
        type: fc.constant('auth'),
        payload: fc.record({
          token: fc.constant(suiteKey),
          since: fc.oneof(fc.integer(), fc.double(), fc.jsonValue()),
        }),
      })
      .map((value) => JSON.stringify(value)),
  )

  test('every text before or after auth is answered or closes the socket', async () => {
    const witness = await openAuthenticated(server)
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 10 }), fc.boolean(), async (texts, first) => {
        const socket = await openSocket(server.port)
        const answer = everything(socket, 10_000)
        const auth = first ? [JSON.stringify({ type: 'auth', payload: { token: suiteKey } })] : []
        socket.write(handshakeText('/ws'))
        for (const text of [...auth, ...texts]) socket.write(clientFrame(1, text.toWellFormed()))
        // The server answers a close when it has read everything before it.
        socket.write(clientFrame(8, ''))
        expect(await answer).toContain('101 Switching Protocols')
        socket.destroy()
      }),
      { numRuns: 100 },
    )
    await witness.settled()
  })

  test('any bytes instead of frames', async () => {
    const witness = await openAuthenticated(server)
    await fc.assert(
      fc.asyncProperty(fc.array(anyBytes), async (chunks) => {
        const socket = await openSocket(server.port)
        socket.write(handshakeText('/ws'))
        for (const chunk of chunks) socket.write(chunk)
        socket.end()
      }),
      { numRuns: 100 },
    )
    await witness.settled()
  })
})
